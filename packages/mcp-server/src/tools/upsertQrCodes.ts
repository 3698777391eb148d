import { isTransportError, type QrCode } from '@qr-service/core';
import {
  CodeUpserter,
  describeNotPublished,
  INPUTS,
  isNotPublishedError,
  notVisible,
  omitUndefined,
  showText,
  UPSERT_LABEL,
  UPSERT_OUTCOMES,
  type UpsertClient,
} from '@qr-service/core/connector';
import * as z from 'zod';
import { isAboutCode, toToolError, type ToolError } from '../errors/toolError.ts';
import { UPSERT_NOT_PUBLISHED_WORDS, UPSERT_WORDS } from '../errors/words.ts';
import type { Arguments } from '../schemas/Arguments.ts';
import { CODE_SCHEMA, codeLine, codeRecord } from '../schemas/records.ts';
import { SEARCH_MS } from './codeArgument.ts';
import { GeneralFailure } from './GeneralFailure.ts';
import { IMAGE_FIELDS, IMAGES_ARGUMENT, imagesOfRows } from './images.ts';
import { processRows, rowsOutput, rowsResult, type RowResult } from './rowResults.ts';
import { MAX_ROWS, newCode, readRows, type Row } from './rows.ts';
import { REPLACES, type Tool, type ToolCall } from './Tool.ts';

/** Maximum length of a previous destination in the text: whole, so that the change can be undone. */
const MAX_URL_LENGTH = 2048;

const OUTCOMES = [...UPSERT_OUTCOMES, 'not_published', 'failed', 'not_sent'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** What became of a row. */
interface Result extends RowResult<Outcome> {
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
    'Returns for each row whether its code was created, retargeted or left unchanged, or what is wrong and how to fix it. A failed row does not affect the others, and repeating a call within a session is safe.',
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
    matchByName: z
      .boolean()
      .optional()
      .describe('Whether a row without a code means the existing one with exactly its name. Default false.'),
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
    const matchByName = call.args.yesNo('matchByName') ?? false;
    const images = imagesOfRows(call);
    const rows = readRows(call.args, {
      required: 'targetUrl, and code or name',
      shared: { matchByName },
      read: (row) => readRow(row, matchByName),
    });
    const results = await call.session.upserts.take('', call.signal, () => {
      const upserter = new Upserter(call, { matchByName, lookups: rows.length });
      return processRows(call, rows, async (row) => images.add(await upserter.upsert(row)));
    });
    const result = rowsResult<Outcome, Result>(
      results,
      ({ error }) => error === undefined,
      (count) =>
        `Created ${count('created')}, retargeted ${count('retargeted')} and left ${count('unchanged')} unchanged of ${results.length}.`,
      ({ outcome, qrCode, previousUrl }) => [
        qrCode === undefined ? '' : `${outcome} · ${codeLine(qrCode)}`,
        previousUrl === undefined ? '' : `(pointed to ${showText(previousUrl, MAX_URL_LENGTH)} before)`,
      ],
    );
    return { ...result, content: images.attached() };
  },
};

/** Names under which models send the ID or the short link of an existing code. Ignored, it would get a duplicate. */
const MISNAMED_CODES = ['id', 'qrCode', 'qrCodeId', 'publicUrl', 'shortLink'];

function readRow(row: Arguments, matchByName: boolean): RowFields {
  const code = row.text('code');
  const misnamed = code === undefined ? row.firstOf(MISNAMED_CODES) : undefined;
  if (misnamed !== undefined)
    row.invalid(misnamed, 'left out', 'Put the ID or the short link of an existing QR code in code.');
  const needsName = code === undefined || matchByName;
  return {
    code,
    name: (needsName ? row.requiredText('name') : row.text('name')) ?? '',
    targetUrl: row.webAddress('targetUrl'),
  };
}

/** Creates or retargets the codes of one call. Rows about the same code run in their order. */
class Upserter {
  readonly #call: ToolCall;
  readonly #matchByName: boolean;
  readonly #codes: CodeUpserter;
  readonly #generalFailure: GeneralFailure;
  /** By the Idempotency-Key of a row without a code: repeated rows wait for the first one. */
  readonly #started = new Map<string, Promise<Result>>();

  constructor(call: ToolCall, { matchByName, lookups }: { matchByName: boolean; lookups: number }) {
    const { client, signal, targets } = call;
    this.#call = call;
    this.#matchByName = matchByName;
    this.#generalFailure = new GeneralFailure(client);
    const { memory } = targets;
    this.#codes = new CodeUpserter(clientOf(call), { memory, lookups, searchMs: SEARCH_MS, signal });
  }

  async upsert(row: Row<RowFields>): Promise<Result> {
    if ('error' in row) return { row: row.row, outcome: 'failed', error: toToolError(row.error) };
    if (row.code !== undefined || this.#matchByName) return this.#send(row);
    const { session } = this.#call;
    const key = session.creationKey(newCode(row), 1);
    // A repeated row means the code that it has created.
    const send = () => this.#send({ ...row, code: session.created.get(key) }, key);
    const result = (this.#started.get(key) ?? Promise.resolve(undefined)).then((first) =>
      first === undefined || first.qrCode !== undefined ? send() : { ...first, row: row.row },
    );
    this.#started.set(key, result);
    return result;
  }

  /** @param key for a row without a code: the Idempotency-Key of its creation */
  async #send({ row, code, name, targetUrl }: { row: number } & RowFields, key?: string): Promise<Result> {
    const { session, signal, targets } = this.#call;
    signal.throwIfAborted();
    const failure = this.#generalFailure.errorFor({ isExisting: code !== undefined });
    if (failure !== undefined) return { row, outcome: 'not_sent', error: toToolError(failure) };
    const record = (found: QrCode, url: string | undefined) => {
      if (key !== undefined) session.created.set(key, found.id);
      if (url !== undefined) targets.set(found, url);
      return { row, qrCode: codeRecord(found, url) };
    };
    try {
      const wanted = { code, name, targetUrl, matchByName: this.#matchByName };
      const {
        outcome,
        code: found,
        previousUrl,
      } = await this.#codes.upsert(wanted, (write) => ({
        signal,
        ...(write === 'create' && key !== undefined ? { idempotencyKey: key } : {}),
      }));
      return { ...record(found, targetUrl), outcome, ...omitUndefined({ previousUrl }) };
    } catch (error) {
      if (isTransportError(error) && error.kind === 'aborted') throw error;
      if (!isNotPublishedError(error)) {
        this.#generalFailure.note(error);
        // This code was created for a row without one.
        if (key !== undefined && code !== undefined && isAboutCode(error))
          return { row, outcome: 'failed', error: toToolError(notVisible({ id: code, name })) };
        return { row, outcome: 'failed', error: rowError(error, row, code) };
      }
      this.#generalFailure.note(error.cause);
      const described = describeNotPublished(error, UPSERT_NOT_PUBLISHED_WORDS);
      return {
        ...record(error.qrCode, targets.memory.targetOf(error.qrCode)),
        outcome: 'not_published',
        error: { ...toToolError(error.cause, { described }), code: error.code },
      };
    }
  }
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
