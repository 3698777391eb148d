import { isQrServiceError } from '@qr-service/core';
import {
  ACTIONS,
  CodeUpserter,
  conflictingRows,
  INPUTS,
  MATCH_BY,
  notVisible,
  omitUndefined,
  toNewName,
  toRequiredText,
  UPSERT_OUTCOMES,
  type UpsertRow,
} from '@qr-service/core/connector';
import * as z from 'zod';
import { rowWords } from '../errors/toolError.ts';
import { MAX_ROWS, oneOf, readArguments, rowsArgument, text, webAddress } from '../schemas/arguments.ts';
import { codeRecord } from '../schemas/records.ts';
import type { Session } from '../session/session.ts';
import { drawerFor, IMAGES_ARGUMENT } from './images.ts';
import { readRows, rowsOutput, sendRows, type SentRow } from './rows.ts';
import { defineTool, SEARCH_MS, WRITES, type ToolCall } from './Tool.ts';

const ROW = {
  code: text("The QR code's ID or short link. Leave it out to create one."),
  name: text('Name of a new code. An existing one keeps its name.'),
  targetUrl: webAddress(INPUTS.targetUrl.help),
};

/** Creates codes from rows, or updates where existing ones point. */
export const upsertQrCodes = defineTool({
  name: 'upsert_qr_codes',
  title: `${ACTIONS.upsert.label} QR Codes`,
  description: [
    `Updates where 1 to ${MAX_ROWS} QR codes point, each by its ID or short link, and creates and publishes one for each row without a code.`,
    'Use it to keep codes in step with a list: everyone who scans an updated code is affected at once.',
    'Returns for each row whether its code was created, updated or left unchanged, or what is wrong and how to fix it. A failed row does not affect the others, and repeating a call within a session is safe.',
    'Rows with the same new name and destination create one code. With matchBy name, rows with one name and two destinations fail. It never renames a code and never changes an archived one.',
  ].join(' '),
  annotations: WRITES,
  page: 'the codes and their images',
  operations: ['qr.list', 'qr.get', 'qr.create', 'qr.publish', 'qr.retarget'],
  input: {
    rows: rowsArgument(ROW),
    matchBy: oneOf(
      'How to find the code of a row without one. name: ignores case; creates the code if none has the name. id: always creates a new code. Default id.',
      MATCH_BY,
    ),
    images: IMAGES_ARGUMENT,
  },
  output: rowsOutput('Number of rows whose code is published and points to the destination.', {
    outcome: z
      .enum([...UPSERT_OUTCOMES, 'not_published', 'failed', 'not_sent'])
      .describe(
        'failed: if the error is retryable, the change may have been made anyway. not_sent: nothing was sent.',
      ),
    previousUrl: z.string().optional().describe('Previous destination, if it is known.'),
  }),
  run: async (call, { rows: given, matchBy = 'id', images }) => {
    const { client, memory, session, signal } = call;
    const drawer = drawerFor(call, images);
    const rows = readRows(given, (row, label) => readRow(row, label, matchBy, call), conflictingRows);
    const codes = new CodeUpserter(client.qr, { memory, lookups: rows.length, searchMs: SEARCH_MS, signal });
    return session.inTurn('upsert_qr_codes', () =>
      sendRows(call, rows, {
        errorWords: rowWords('upsert_qr_codes'),
        drawer,
        isExisting: (row) => knownCode(row, session) !== undefined,
        send: (row) => upsertRow(row, codes, call),
        summary: (countOf) =>
          `Created ${countOf('created')}, updated ${countOf('updated')} and left ${countOf('unchanged')} unchanged of ${rows.length}.`,
        showsOutcomes: true,
      }),
    );
  },
});

/** Its `key` is the Idempotency-Key of the code that it creates, unless it finds one by its name. */
type Row = UpsertRow & { key: string | undefined };

function readRow(given: unknown, label: string, matchBy: UpsertRow['matchBy'], call: ToolCall): Row {
  const { client, session } = call;
  const { code, name, targetUrl } = readArguments(ROW, given, label);
  client.qr.checkTarget(targetUrl);
  if (code !== undefined) return { matchBy, code, name: name ?? '', targetUrl, key: undefined };
  const readName = matchBy === 'id' ? toNewName : toRequiredText;
  const newName = readName(name, { label: 'name' });
  const key = matchBy === 'id' ? session.creationKey({ name: newName, targetUrl }) : undefined;
  return { matchBy, name: newName, targetUrl, key };
}

/** The code that a row names, or that it has created: a repeated row means that one. */
function knownCode({ code, key }: Row, { created }: Session): string | undefined {
  return code ?? (key === undefined ? undefined : created.get(key));
}

/** Creates or updates the code of a row. */
async function upsertRow(row: Row, codes: CodeUpserter, { session, signal }: ToolCall): Promise<SentRow> {
  const { key, name, targetUrl } = row;
  const known = knownCode(row, session);
  try {
    const { outcome, code, previousUrl } = await codes.upsert({ ...row, code: known }, (write) =>
      write === 'create' && key !== undefined ? { idempotencyKey: key, signal } : { signal },
    );
    if (key !== undefined) session.created.set(key, code.id);
    return { outcome, qrCode: codeRecord(code, targetUrl), ...omitUndefined({ previousUrl }) };
  } catch (error) {
    const isMissing = isQrServiceError(error) && error.code === 'not_found';
    if (isMissing && row.code === undefined && known !== undefined) throw notVisible({ id: known, name });
    throw error;
  }
}
