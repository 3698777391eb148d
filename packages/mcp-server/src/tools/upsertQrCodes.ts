import {
  CodeUpserter,
  INPUTS,
  MATCH_BY,
  notVisible,
  omitUndefined,
  showText,
  UPSERT_LABEL,
  UPSERT_OUTCOMES,
  type MatchBy,
  type UpsertClient,
} from '@qr-service/core/connector';
import * as z from 'zod';
import { isAboutCode, toToolError, type ToolError } from '../errors/toolError.ts';
import { UPSERT_NOT_PUBLISHED_WORDS, UPSERT_WORDS } from '../errors/words.ts';
import type { Arguments } from '../schemas/Arguments.ts';
import { CODE_SCHEMA, codeLine, codeRecord } from '../schemas/records.ts';
import { IMAGE_FIELDS, IMAGES_ARGUMENT, type RowResult } from './images.ts';
import { MAX_ROWS, newCode, readRows } from './rows.ts';
import { rowsOutput, runRows } from './runRows.ts';
import { MAX_URL_LENGTH, REPLACES, SEARCH_MS, type Tool, type ToolCall } from './Tool.ts';

const OUTCOMES = [...UPSERT_OUTCOMES, 'not_published', 'failed', 'not_sent'] as const;

/** What became of a row. */
interface Result extends RowResult {
  previousUrl?: string;
}

/** A code and where it should point. */
interface RowFields {
  code: string | undefined;
  name: string;
  targetUrl: string;
}

/** Creates codes from rows, or points existing ones to the rows' targets. */
export const upsertQrCodes: Tool = {
  name: 'upsert_qr_codes',
  title: `${UPSERT_LABEL} QR Codes`,
  description: [
    `Points 1 to ${MAX_ROWS} QR codes to web addresses, each by its ID or short link, and creates and publishes one for each row without a code.`,
    'Use it to keep codes in step with a list: everyone who scans a code that it retargets is affected at once.',
    'Returns for each row whether its code was created, updated or left unchanged, or what is wrong and how to fix it. A failed row does not affect the others, and repeating a call within a session is safe.',
    'Two rows that name the same new code make one code. It never renames a code and never changes an archived one.',
  ].join(' '),
  annotations: REPLACES,
  operations: ['qr.list', 'qr.get', 'qr.create', 'qr.publish', 'qr.retarget'],
  input: z.object({
    rows: z
      .array(
        z.object({
          code: z.string().optional().describe("The QR code's ID or short link. Leave it out to create one."),
          name: z.string().optional().describe('Name of a new code. An existing one keeps its name.'),
          targetUrl: z.string().describe(INPUTS.targetUrl.help),
        }),
      )
      .min(1)
      .max(MAX_ROWS)
      .describe('One row for each code.'),
    matchBy: z
      .enum(MATCH_BY)
      .optional()
      .describe(
        'How to find the code of a row without one. name: the code with exactly its name, which is created if there is none. id: none, so a new code is created. Default id.',
      ),
    images: IMAGES_ARGUMENT,
  }),
  output: rowsOutput('Number of rows whose code is published and points to the target.', {
    outcome: z
      .enum(OUTCOMES)
      .describe(
        'failed: if the error is retryable, the row may have been carried out. not_sent: nothing was sent.',
      ),
    qrCode: CODE_SCHEMA.optional(),
    ...IMAGE_FIELDS,
    previousUrl: z.string().optional().describe('Where it pointed before, if that is known.'),
  }),
  run: async (call) => {
    const { args, session, signal, targets } = call;
    const matchBy = args.oneOf('matchBy', MATCH_BY) ?? 'id';
    const rows = readRows(args, {
      required: 'targetUrl, and code or name',
      shared: { matchBy },
      read: (row) => readRow(row, matchBy),
    });
    const { memory } = targets;
    const options = { memory, lookups: rows.length, searchMs: SEARCH_MS, signal };
    const codes = new CodeUpserter(clientOf(call), options);
    /** The code that a row names, or that it has created: a repeated row means that one. */
    const codeOf = ({ code }: RowFields, key: string | undefined) =>
      key === undefined ? code : session.created.get(key);
    const run = () =>
      runRows<RowFields, Result>(call, rows, {
        keyOf: (row) =>
          row.code !== undefined || matchBy === 'name' ? undefined : session.creationKey(newCode(row), 1),
        repeat: (first, send) => (first.qrCode === undefined ? first : send()),
        isExisting: (row, key) => codeOf(row, key) !== undefined,
        send: async (row, key) => {
          const wanted = { ...row, code: codeOf(row, key), matchBy };
          const { outcome, code, previousUrl } = await codes.upsert(wanted, (write) => ({
            signal,
            ...(write === 'create' ? omitUndefined({ idempotencyKey: key }) : {}),
          }));
          return { code, outcome, ...omitUndefined({ previousUrl }) };
        },
        show: (code, { key, isPublished, targetUrl }) => {
          const url = isPublished ? targetUrl : memory.targetOf(code);
          if (key !== undefined) session.created.set(key, code.id);
          if (url !== undefined) targets.set(code, url);
          return { qrCode: codeRecord(code, url) };
        },
        describeError: (error, { key, row, ...fields }) => {
          const code = codeOf(fields, key);
          const isLost = key !== undefined && code !== undefined && isAboutCode(error);
          return isLost
            ? toToolError(notVisible({ id: code, name: fields.name }))
            : rowError(error, row, code);
        },
        notPublishedWords: UPSERT_NOT_PUBLISHED_WORDS,
        hasSucceeded: ({ error }) => error === undefined,
        summary: (count) =>
          `Created ${count('created')}, updated ${count('updated')} and left ${count('unchanged')} unchanged of ${rows.length}.`,
        describe: ({ outcome, qrCode, previousUrl }) => [
          qrCode === undefined ? '' : `${outcome} · ${codeLine(qrCode)}`,
          previousUrl === undefined ? '' : `(pointed to ${showText(previousUrl, MAX_URL_LENGTH)} before)`,
        ],
      });
    return session.upserts.take('', signal, run);
  },
};

/** Names under which models send the ID or the short link of an existing code. Ignored, it would get a duplicate. */
const MISNAMED_CODES = ['id', 'qrCode', 'qrCodeId', 'publicUrl', 'shortLink'];

function readRow(row: Arguments, matchBy: MatchBy): RowFields {
  const code = row.text('code');
  const misnamed = code === undefined ? row.firstOf(MISNAMED_CODES) : undefined;
  if (misnamed !== undefined)
    row.invalid(misnamed, 'left out', 'Put the ID or the short link of an existing QR code in code.');
  const needsName = code === undefined || matchBy === 'name';
  return {
    code,
    name: (needsName ? row.requiredText('name') : row.text('name')) ?? '',
    targetUrl: row.webAddress('targetUrl'),
  };
}

/** The client's calls of a session: other calls of it may change the same codes. */
function clientOf({ client, signal, retargets, targets }: ToolCall): UpsertClient {
  const { qr } = client;
  return {
    qr: {
      checkTargets: (content) => qr.checkTargets(content),
      create: (input, options) => qr.create(input, options),
      get: (id, options) => qr.get(id, options),
      list: (query, options) => qr.list(query, options),
      publish: (id, options) => qr.publish(id, options),
      retarget: (id, url, options) =>
        retargets.take(id, signal, async () => {
          const code = await qr.retarget(id, url, options);
          targets.set(code, url);
          return code;
        }),
    },
  };
}

/** The core's errors name a parameter by its label. A row without a code names it by `name`. */
function rowError(error: unknown, row: number, code: string | undefined): ToolError {
  const told = toToolError(error, { words: UPSERT_WORDS });
  const isCode = isAboutCode(error) || told.argument === INPUTS.qrCodeId.label;
  if (!isCode && told.argument !== INPUTS.name.label) return told;
  return { ...told, argument: `${isCode && code !== undefined ? 'code' : 'name'} of row ${row}` };
}
