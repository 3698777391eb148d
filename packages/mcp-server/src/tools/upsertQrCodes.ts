import { isQrServiceError } from '@qr-service/core';
import {
  ACTIONS,
  CodeUpserter,
  conflictingRows,
  INPUTS,
  MATCH_BY,
  notVisible,
  omitUndefined,
  showText,
  toRequiredText,
  UPSERT_OUTCOMES,
  type UpsertRow,
} from '@qr-service/core/connector';
import * as z from 'zod';
import { rowWords } from '../errors/toolError.ts';
import {
  list,
  MAX_ROWS,
  objectSchema,
  oneOf,
  readArguments,
  text,
  webAddress,
} from '../schemas/arguments.ts';
import { codeLine, codeRecord } from '../schemas/records.ts';
import { IMAGES_ARGUMENT, rowLabel, rowsOutput, runRows } from './rows.ts';
import { defineTool, MAX_URL_LENGTH, REPLACES, SEARCH_MS } from './Tool.ts';

const ROW = {
  code: text("The QR code's ID or short link. Leave it out to create one."),
  name: text('Name of a new code. An existing one keeps its name.'),
  targetUrl: webAddress(INPUTS.targetUrl.help),
};

/** Creates codes from rows, or points existing ones to the rows' targets. */
export const upsertQrCodes = defineTool({
  name: 'upsert_qr_codes',
  title: `${ACTIONS.upsert.label} QR Codes`,
  description: [
    `Points 1 to ${MAX_ROWS} QR codes to web addresses, each by its ID or short link, and creates and publishes one for each row without a code.`,
    'Use it to keep codes in step with a list: everyone who scans a code that it retargets is affected at once.',
    'Returns for each row whether its code was created, updated or left unchanged, or what is wrong and how to fix it. A failed row does not affect the others, and repeating a call within a session is safe.',
    'Two rows with the same new name make one code, or fail if their targets differ. It never renames a code and never changes an archived one.',
  ].join(' '),
  annotations: REPLACES,
  operations: ['qr.list', 'qr.get', 'qr.create', 'qr.publish', 'qr.retarget'],
  input: {
    rows: list('One row for each code.', objectSchema(ROW)),
    matchBy: oneOf(
      'How to find the code of a row without one. name: the code with its name in any case, which is created if there is none. id: none, so a new code is created. Default id.',
      MATCH_BY,
    ),
    images: IMAGES_ARGUMENT,
  },
  output: rowsOutput('Number of rows whose code is published and points to the target.', {
    outcome: z
      .enum([...UPSERT_OUTCOMES, 'not_published', 'failed', 'not_sent'])
      .describe(
        'failed: if the error is retryable, the row may have been carried out. not_sent: nothing was sent.',
      ),
    previousUrl: z.string().optional().describe('Where it pointed before, if that is known.'),
  }),
  run: async (call, { rows, matchBy = 'id', images }) => {
    const { client, memory, session, signal } = call;
    const options = { memory, lookups: rows.length, searchMs: SEARCH_MS, signal };
    const codes = new CodeUpserter(client.qr, options);
    const keyOf = (row: UpsertRow) =>
      row.code !== undefined || matchBy === 'name' ? undefined : session.creationKey(row);
    /** The code that a row names, or that it has created: a repeated row means that one. */
    const codeOf = (row: UpsertRow) => row.code ?? session.created.get(keyOf(row) ?? '');
    const run = () =>
      runRows<UpsertRow>(call, rows, {
        errorWords: rowWords('upsert_qr_codes'),
        read: (given, { label }) => {
          const { name, ...row } = readArguments(ROW, given, label);
          client.qr.checkTarget(row.targetUrl);
          return {
            ...row,
            matchBy,
            name: row.code === undefined ? toRequiredText(name, { label: 'name' }) : (name ?? ''),
          };
        },
        conflicts: (valid) => conflictingRows(valid, rowLabel),
        images,
        keyOf,
        isExisting: (row) => codeOf(row) !== undefined,
        send: async (row) => {
          const key = keyOf(row);
          const known = codeOf(row);
          const upserted = codes.upsert({ ...row, code: known }, (write) => ({
            signal,
            ...(write === 'create' ? omitUndefined({ idempotencyKey: key }) : {}),
          }));
          const { outcome, code, previousUrl } = await upserted.catch((error: unknown) => {
            const isLost = row.code === undefined && isQrServiceError(error) && error.code === 'not_found';
            throw isLost && known !== undefined ? notVisible({ id: known, name: row.name }) : error;
          });
          if (key !== undefined) session.created.set(key, code.id);
          return { outcome, qrCode: codeRecord(code, row.targetUrl), ...omitUndefined({ previousUrl }) };
        },
        summary: (count) =>
          `Created ${count('created')}, updated ${count('updated')} and left ${count('unchanged')} unchanged of ${rows.length}.`,
        describe: ({ outcome, qrCode, previousUrl }) => [
          qrCode === undefined ? '' : `${outcome} · ${codeLine(qrCode)}`,
          previousUrl === undefined ? '' : `(pointed to ${showText(previousUrl, MAX_URL_LENGTH)} before)`,
        ],
      });
    return session.inTurn('upsert_qr_codes', run);
  },
});
