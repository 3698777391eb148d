import { isQrServiceError, type Page, type QrCode } from '@qr-service/core';
import { foldCase, INPUTS, invalidParameter, omitUndefined } from '@qr-service/core/connector';
import * as z from 'zod';
import { text, time, type Values } from '../schemas/arguments.ts';
import { CODE_SCHEMA, changedLine, codeRecord } from '../schemas/records.ts';
import { targetOf } from '../session/session.ts';
import { cursorArgument, DEFAULT_LIMIT, limitArgument, listRows, writeCursor } from './lists.ts';
import { codeIdOf } from './oneCode.ts';
import { defineTool, lines, READS, SEARCH_MS, type ToolCall } from './Tool.ts';

const INPUT = {
  code: text("The QR code's ID, or its short link as printed. Use it without other arguments."),
  name: text('Part of the name or slug. Ignores case and accents.'),
  updatedSince: time(INPUTS.updatedSince.help),
  limit: limitArgument('codes'),
  cursor: cursorArgument('nextCursor', 'name and updatedSince'),
};
type Query = Values<typeof INPUT>;

/** Finds codes. */
export const findQrCodes = defineTool({
  name: 'find_qr_codes',
  title: 'Find QR Codes',
  description: [
    'Lists QR codes of the workspace, or finds them by ID, short link, part of the name, or time of the last change.',
    'Use it to find the ID of a code that the user names, or to see what exists before creating more.',
    `Returns the first ${DEFAULT_LIMIT} matching codes unless limit says otherwise, and nextCursor if there may be more. No match is an empty list.`,
    'It never returns images or scans.',
  ].join(' '),
  annotations: READS,
  operations: ['qr.list'],
  input: INPUT,
  output: z.object({ qrCodes: z.array(CODE_SCHEMA), nextCursor: z.string().optional() }),
  run: async (call, query) => {
    const { code } = query;
    const found = code === undefined ? search(call, query) : findOne(call, code, query);
    const { rows, read, nextCursor } = await found;
    const qrCodes = rows.map((row) => codeRecord(row, targetOf(call.memory, row)));
    const none = `No QR codes were found${nextCursor === undefined ? '' : ` among the first ${read}`}.`;
    return {
      text: lines(
        ...(qrCodes.length === 0 ? [none] : qrCodes.map(changedLine)),
        nextCursor === undefined
          ? ''
          : `There may be more. Narrow the search, or pass the cursor "${nextCursor}".`,
      ),
      structured: { qrCodes, ...omitUndefined({ nextCursor }) },
    };
  },
});

async function findOne(call: ToolCall, code: string, query: Query): ReturnType<typeof search> {
  const other = (['name', 'updatedSince', 'cursor'] as const).find((name) => query[name] !== undefined);
  if (other !== undefined)
    throw invalidParameter(query[other], { label: other }, 'left out if code is given');
  try {
    const id = await codeIdOf(call, code);
    return { rows: [await call.client.qr.get(id, { signal: call.signal })], read: 1, nextCursor: undefined };
  } catch (error) {
    if (!isQrServiceError(error) || error.code !== 'not_found') throw error;
    return { rows: [], read: 0, nextCursor: undefined };
  }
}

/** Codes of the first page: every service accepts as many (see `QrCodes`). */
const MAX_FIRST = 50;

async function search(
  { client: { qr }, signal, report }: ToolCall,
  { name, updatedSince, limit = DEFAULT_LIMIT, cursor: from }: Query,
) {
  const wanted = foldCase(name ?? '');
  if (name !== undefined && wanted === '')
    throw invalidParameter(name, { label: 'name' }, 'text with at least one letter or digit');
  const filter = omitUndefined({ updatedSince });
  let read = 0;
  // All of the first page is shown: it has no cursor, so it can't be read again as it was.
  async function* pages(pageSignal: AbortSignal): AsyncGenerator<Page<QrCode>> {
    const options = { signal: pageSignal };
    let next = from?.cursor;
    if (next === undefined) {
      const first = await qr.listPage({ ...filter, limit: Math.min(limit, MAX_FIRST) }, options);
      yield first;
      next = first.nextCursor;
    }
    if (next !== undefined) yield* qr.list({ ...filter, cursor: next }, options).pages();
  }
  const { rows, rest, next } = await listRows(
    pages,
    { from, limit, endsAt: Date.now() + SEARCH_MS, signal },
    (code) => ([code.name, code.slug].some((text) => foldCase(text).includes(wanted)) ? code : undefined),
    (page, isFull) => {
      read += page.rows.length;
      report(read, undefined, `${read} QR codes read`);
      return !isFull;
    },
  );
  return { rows, read, nextCursor: rest ?? (next && writeCursor('list', next)) };
}
