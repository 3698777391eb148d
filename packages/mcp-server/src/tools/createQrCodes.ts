import { isApiError, isTransportError, type QrCode } from '@qr-service/core';
import {
  createAndPublish,
  describeNotPublished,
  INPUTS,
  isNotPublishedError,
  isOwnError,
  notVisible,
} from '@qr-service/core/connector';
import * as z from 'zod';
import { toToolError } from '../errors/toolError.ts';
import { CREATE_WORDS, NOT_PUBLISHED_WORDS } from '../errors/words.ts';
import type { Arguments } from '../schemas/Arguments.ts';
import { CODE_SCHEMA, codeLine, codeRecord } from '../schemas/records.ts';
import { words } from './codeResult.ts';
import { GeneralFailure } from './GeneralFailure.ts';
import { IMAGE_FIELDS, IMAGES_ARGUMENT, imagesOfRows } from './images.ts';
import { processRows, rowsOutput, rowsResult, type RowResult } from './rowResults.ts';
import { MAX_ROWS, newCode, readRows, type NewCode, type Row } from './rows.ts';
import { ADDS, type Tool, type ToolCall } from './Tool.ts';

const OUTCOMES = ['published', 'created', 'not_published', 'failed', 'not_sent'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** What became of a row. */
interface Result extends RowResult<Outcome> {
  repeated?: true;
}

/** The code that a row describes. */
interface RowFields {
  name: string;
  targetUrl: string;
  copy: number;
}

/** Creates codes from rows. */
export const createQrCodes: Tool = {
  name: 'create_qr_codes',
  title: 'Create QR Codes',
  description: [
    `Creates 1 to ${MAX_ROWS} dynamic QR codes that point to web addresses, and publishes them unless publish is false.`,
    'Use it for new codes, many rows in one call; to change where an existing code points, use retarget_qr_code.',
    'Returns a result for each row: the code with its ID and short link, or what is wrong with the row and how to fix it. A failed row does not affect the others.',
    'Repeating a row within a session returns the same code again instead of a duplicate; set copy to 2 to get a second code for the same row.',
    'With images, it draws each code as well. It never changes existing codes.',
  ].join(' '),
  annotations: ADDS,
  operations: ['qr.create', 'qr.publish'],
  input: z.object({
    rows: z
      .array(
        z.object({
          name: z.string().describe(INPUTS.name.help),
          targetUrl: z.string().describe(INPUTS.targetUrl.help),
          copy: z
            .int()
            .min(1)
            .optional()
            .describe(
              'Leave out, or 2, 3 and so on for another code with the same name and target. Default 1.',
            ),
        }),
      )
      .min(1)
      .max(MAX_ROWS)
      .describe('One row for each code.'),
    publish: z.boolean().optional().describe(`${INPUTS.publish.help} Default true.`),
    images: IMAGES_ARGUMENT,
  }),
  output: rowsOutput('Number of rows whose code exists as requested.', {
    outcome: z
      .enum(OUTCOMES)
      .describe(
        'not_published: the code was created, but its short link does not work yet. failed: if the error is retryable, the code may exist all the same, and repeating the row returns it. not_sent: nothing was sent.',
      ),
    qrCode: CODE_SCHEMA.optional(),
    ...IMAGE_FIELDS,
    repeated: z
      .literal(true)
      .optional()
      .describe('This is the same code as before, because the row was repeated.'),
  }),
  run: async (call) => {
    const publish = call.args.yesNo('publish') ?? true;
    const images = imagesOfRows(call);
    const rows = readRows(call.args, { required: 'name and targetUrl', shared: { publish }, read: readRow });
    const creator = new Creator(call, publish);
    const results = await processRows(call, rows, async (row) => images.add(await creator.create(row)));
    const result = rowsResult<Outcome, Result>(
      results,
      ({ outcome }) => outcome === 'published' || outcome === 'created',
      (count) =>
        words(
          `${publish ? 'Created and published' : 'Created'} ${count(publish ? 'published' : 'created')} of ${results.length}.`,
          publish ? '' : "Their short links don't work until they are published with publish_qr_code.",
        ),
      ({ qrCode, repeated }) => [
        qrCode === undefined ? '' : codeLine(qrCode),
        repeated === true ? '(the same code as before; set copy to create another)' : '',
      ],
    );
    return { ...result, content: images.attached() };
  },
};

function readRow(row: Arguments): RowFields {
  return {
    name: row.requiredText('name'),
    targetUrl: row.webAddress('targetUrl'),
    copy: row.wholeNumber('copy', { min: 1 }) ?? 1,
  };
}

/** The part of the client that creates codes. */
type CodeWriter = Parameters<typeof createAndPublish>[0];

/** Creates the codes of one call. */
class Creator {
  readonly #call: ToolCall;
  readonly #publish: boolean;
  /** By the Idempotency-Key: repeated rows wait for the first one. */
  readonly #started = new Map<string, Promise<Result>>();
  readonly #generalFailure: GeneralFailure;

  constructor(call: ToolCall, publish: boolean) {
    this.#call = call;
    this.#publish = publish;
    this.#generalFailure = new GeneralFailure(call.client);
  }

  async create(row: Row<RowFields>): Promise<Result> {
    if ('error' in row) return { row: row.row, outcome: 'failed', error: toToolError(row.error) };
    const { name, targetUrl, copy } = row;
    const input = newCode({ name, targetUrl });
    const key = this.#call.session.creationKey(input, copy);
    const first = this.#started.get(key);
    if (first !== undefined) {
      const result = await first;
      return { ...result, row: row.row, ...(result.qrCode === undefined ? {} : { repeated: true }) };
    }
    const result = this.#send(row.row, input, key);
    this.#started.set(key, result);
    return result;
  }

  async #send(row: number, input: NewCode, key: string): Promise<Result> {
    const { session, signal, targets } = this.#call;
    signal.throwIfAborted();
    const knownId = session.created.get(key);
    const failure = this.#generalFailure.errorFor({ isExisting: false });
    if (failure !== undefined) return { row, outcome: 'not_sent', error: toToolError(failure) };
    /** Whether the code may have been changed since it was created. */
    let isReplayed = false;
    const result = (code: QrCode) => {
      // Another call of the session may have sent the same row in the meantime.
      const isRepeated = knownId !== undefined || session.created.get(key) === code.id;
      if (!isRepeated && !isReplayed) targets.set(code, input.content.targetUrl);
      session.created.set(key, code.id);
      return {
        row,
        qrCode: codeRecord(code, targets.of(code)),
        ...(isRepeated ? { repeated: true as const } : {}),
      };
    };
    try {
      const code = await createAndPublish(this.#codes(input, knownId), input, {
        publish: this.#publish,
        memory: knownId === undefined ? targets.memory : undefined,
        createOptions: { idempotencyKey: key, signal, onReplay: () => (isReplayed = true) },
        publishOptions: () => ({ signal }),
      });
      return { ...result(code), outcome: this.#publish ? 'published' : 'created' };
    } catch (error) {
      if (isTransportError(error) && error.kind === 'aborted') throw error;
      if (!isNotPublishedError(error)) {
        this.#generalFailure.note(error);
        return { row, outcome: 'failed', error: toToolError(error, { words: CREATE_WORDS }) };
      }
      this.#generalFailure.note(error.cause);
      const described = describeNotPublished(error, NOT_PUBLISHED_WORDS);
      return {
        ...result(error.qrCode),
        outcome: 'not_published',
        error: { ...toToolError(error.cause, { described }), code: error.code },
      };
    }
  }

  /**
   * The client's calls for a row. One whose code is known is read instead of created again: the service would replay the
   * code as it was created, whatever has changed since, and after a day create a duplicate.
   */
  #codes({ name }: NewCode, knownId: string | undefined): CodeWriter {
    const { client, signal, targets } = this.#call;
    if (knownId === undefined) return client;
    const create = async (): Promise<QrCode> => {
      try {
        return await client.qr.get(knownId, { signal });
      } catch (error) {
        // The API key may create codes, but not read them.
        if (isApiError(error) && error.code === 'insufficient_scope') return { id: knownId, name } as QrCode;
        if (!isOwnError(error, 404)) throw error;
        // Reads may be late.
        throw notVisible({ id: knownId, name });
      }
    };
    let current = { id: knownId } as QrCode;
    return {
      qr: {
        create: async () => (current = await create()),
        get: (id, options) => client.qr.get(id, options),
        publish: async (id, options) => {
          if (current.status === 'published') return current;
          const code = await client.qr.publish(id, options);
          targets.keep(current, code);
          return code;
        },
      },
    };
  }
}
