import { isApiError, type QrCode } from '@qr-service/core';
import { createAndPublish, INPUTS, isOwnError, notVisible, publishDraft } from '@qr-service/core/connector';
import * as z from 'zod';
import { toToolError } from '../errors/toolError.ts';
import { CREATE_WORDS, NOT_PUBLISHED_WORDS } from '../errors/words.ts';
import type { Arguments } from '../schemas/Arguments.ts';
import { CODE_SCHEMA, codeLine, codeRecord } from '../schemas/records.ts';
import { IMAGE_FIELDS, IMAGES_ARGUMENT, type RowResult } from './images.ts';
import { MAX_ROWS, newCode, readRows } from './rows.ts';
import { rowsOutput, runRows } from './runRows.ts';
import { ADDS, words, type Tool, type ToolCall } from './Tool.ts';

const OUTCOMES = ['published', 'created', 'not_published', 'failed', 'not_sent'] as const;

/** What became of a row. */
interface Result extends RowResult {
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
    const { args, session, signal, targets } = call;
    const publish = args.yesNo('publish') ?? true;
    const created = publish ? 'published' : 'created';
    const rows = readRows(args, { required: 'name and targetUrl', shared: { publish }, read: readRow });
    const keyOf = (row: RowFields) => session.creationKey(newCode(row), row.copy);
    /** Keys of creations whose response was a replay: the code may have been changed since. */
    const replayed = new Set<string>();
    return runRows<RowFields, Result>(call, rows, {
      keyOf,
      repeat: (first) => (first.qrCode === undefined ? first : { ...first, repeated: true }),
      isExisting: () => false,
      send: async (row) => {
        const key = keyOf(row);
        const knownId = session.created.get(key);
        const code =
          knownId === undefined
            ? await createAndPublish(call.client, newCode(row), {
                publish,
                memory: targets.memory,
                createOptions: { idempotencyKey: key, signal, onReplay: () => replayed.add(key) },
                publishOptions: () => ({ signal }),
              })
            : await readCreated(call, { id: knownId, name: row.name }, { publish });
        return { code, outcome: created };
      },
      show: (code, row) => {
        const key = keyOf(row);
        const isRepeated = session.created.get(key) === code.id;
        if (!isRepeated && !replayed.has(key)) targets.set(code, row.targetUrl);
        session.created.set(key, code.id);
        return { qrCode: codeRecord(code, targets.of(code)), ...(isRepeated ? { repeated: true } : {}) };
      },
      describeError: (error) => toToolError(error, { words: CREATE_WORDS }),
      notPublishedWords: NOT_PUBLISHED_WORDS,
      hasSucceeded: ({ outcome }) => outcome === 'published' || outcome === 'created',
      summary: (count) =>
        words(
          `${publish ? 'Created and published' : 'Created'} ${count(created)} of ${rows.length}.`,
          publish ? '' : "Their short links don't work until they are published with publish_qr_code.",
        ),
      describe: ({ qrCode, repeated }) => [
        qrCode === undefined ? '' : codeLine(qrCode),
        repeated === true ? '(the same code as before; set copy to create another)' : '',
      ],
    });
  },
};

function readRow(row: Arguments): RowFields {
  return {
    name: row.requiredText('name'),
    targetUrl: row.webAddress('targetUrl'),
    copy: row.wholeNumber('copy', { min: 1 }) ?? 1,
  };
}

/**
 * The code that this session has created, as it is now. Created again, the service would replay it as it was, whatever has
 * changed since, and after a day create a duplicate.
 */
async function readCreated(
  { client, signal, targets }: ToolCall,
  known: Pick<QrCode, 'id' | 'name'>,
  { publish }: { publish: boolean },
): Promise<QrCode> {
  const current = await client.qr.get(known.id, { signal }).catch((error: unknown) => {
    // The API key may create codes, but not read them.
    if (isApiError(error) && error.code === 'insufficient_scope') return known as QrCode;
    // Reads may be late.
    throw isOwnError(error, 404) ? notVisible(known) : error;
  });
  if (!publish || current.status === 'published') return current;
  const published = await publishDraft(client, current, { signal });
  targets.keep(current, published);
  return published;
}
