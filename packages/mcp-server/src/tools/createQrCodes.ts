import type { QrCode } from '@qr-service/core';
import { createAndPublish, INPUTS, isOwnError, notVisible, publishDraft } from '@qr-service/core/connector';
import * as z from 'zod';
import { rowWords } from '../errors/toolError.ts';
import {
  MAX_ROWS,
  newName,
  readArguments,
  rowsArgument,
  webAddress,
  wholeNumber,
  yesNo,
  type Values,
} from '../schemas/arguments.ts';
import { codeRecord } from '../schemas/records.ts';
import { keepTarget, targetOf } from '../session/session.ts';
import { drawerFor, IMAGES_ARGUMENT } from './images.ts';
import { readCode } from './oneCode.ts';
import { readRows, rowsOutput, sendRows, type SentRow } from './rows.ts';
import { defineTool, WRITES, type ToolCall } from './Tool.ts';

const COPY_HELP = 'Set to 2, 3 and so on for another code with the same name and destination. Default 1.';

const ROW = {
  name: newName(INPUTS.name.help),
  targetUrl: webAddress(INPUTS.targetUrl.help),
  copy: wholeNumber(COPY_HELP, { min: 1 }),
};

/** Creates codes from rows. */
export const createQrCodes = defineTool({
  name: 'create_qr_codes',
  title: 'Create QR Codes',
  description: [
    `Creates 1 to ${MAX_ROWS} dynamic QR codes that point to web addresses, and publishes them unless publish is false.`,
    'Use it for new codes, many rows in one call; to change where an existing code points, use retarget_qr_code.',
    'Returns a result for each row: the code with its ID and short link, or what is wrong with the row and how to fix it. A failed row does not affect the others.',
    'Repeating a row within a session returns the same code again instead of a duplicate; set copy to 2 to get a second code for the same row.',
    'With images, it draws each code as well. It never changes existing codes.',
  ].join(' '),
  annotations: WRITES,
  page: 'the codes and their images',
  operations: ['qr.create', 'qr.publish'],
  input: {
    rows: rowsArgument(ROW),
    publish: yesNo(`${INPUTS.publish.help} Default true.`),
    images: IMAGES_ARGUMENT,
  },
  output: rowsOutput('Number of rows whose code exists as requested.', {
    outcome: z
      .enum(['published', 'created', 'not_published', 'failed', 'not_sent'])
      .describe(
        'not_published: the code was created, but its short link does not work yet. failed: if the error is retryable, the code may exist anyway, and repeating the row returns it. not_sent: nothing was sent.',
      ),
    repeated: z.literal(true).optional().describe('The same code as before: the row was repeated.'),
  }),
  run: async (call, { rows: given, publish = true, images }) => {
    const rows = readRows(given, (fields, label): Row => {
      const row = readArguments(ROW, fields, label);
      return { ...row, key: call.session.creationKey(row, row.copy) };
    });
    return sendRows(call, rows, {
      errorWords: rowWords('create_qr_codes'),
      drawer: drawerFor(call, images),
      isExisting: () => false,
      send: (row) => createRow(call, row, publish),
      summary: (countOf) =>
        publish
          ? `Created and published ${countOf('published')} of ${rows.length}.`
          : `Created ${countOf('created')} of ${rows.length}. Their short links don't work until they are published with publish_qr_code.`,
    });
  },
});

/** Its `key` is the Idempotency-Key of its code. */
type Row = Values<typeof ROW> & { key: string };

/** Creates a row's code, unless it was created before, and optionally publishes it. */
async function createRow(call: ToolCall, row: Row, publish: boolean): Promise<SentRow> {
  const { client, memory, session, signal } = call;
  const isRepeated = session.created.has(row.key);
  let code = await createOnce(call, row);
  if (publish && code.status !== 'published') {
    const published = await publishDraft(client.qr, code, { signal });
    keepTarget(memory, code, published);
    code = published;
  }
  const qrCode = codeRecord(code, targetOf(memory, code));
  return { outcome: publish ? 'published' : 'created', qrCode, ...(isRepeated ? { repeated: true } : {}) };
}

/**
 * The code that this session has created for a row, as it is now, or else a new one. Created again, the service would
 * replay it as it was, whatever has changed since, and after a day create a duplicate.
 */
async function createOnce(call: ToolCall, row: Row): Promise<QrCode> {
  const { client, memory, session, signal } = call;
  const id = session.created.get(row.key);
  if (id === undefined) {
    const createOptions = { idempotencyKey: row.key, signal };
    const draft = await createAndPublish(client.qr, row, { publish: false, createOptions, memory });
    session.created.set(row.key, draft.id);
    return draft;
  }
  const known = { id, name: row.name };
  return readCode(call, known as QrCode).catch((error: unknown) => {
    // Reads may be late.
    throw isOwnError(error, 404) ? notVisible(known) : error;
  });
}
