import { isApiError, type QrCode } from '@qr-service/core';
import {
  foldCase,
  hasShortLink,
  INPUTS,
  isParameterError,
  omitUndefined,
  readCodeReference,
} from '@qr-service/core/connector';
import { z } from 'zod';
import { CODE_SCHEMA, codeLine, codeRecord } from '../schemas/records.ts';
import { lines } from './codeResult.ts';
import { DEFAULT_LIMIT, limitArgument, moreText, readLimit, takeRows, type TakenRows } from './takeRows.ts';
import { READS, type Tool, type ToolCall } from './Tool.ts';

/** Finds codes. */
export const findQrCodes: Tool = {
  name: 'find_qr_codes',
  title: 'Find QR Codes',
  description: [
    'Lists QR codes of the workspace, or finds them by ID, short link, part of the name, or time of the last change.',
    'Use it to find the ID of a code that the user names, or to see what exists before creating more.',
    `Returns the first ${DEFAULT_LIMIT} matching codes unless limit says otherwise, and how many more there are. No match is an empty list.`,
    'It changes nothing and never returns images or scans.',
  ].join(' '),
  annotations: READS,
  operations: ['qr.list'],
  input: z.object({
    code: z.string().optional().describe("The QR code's ID, or its short link as printed."),
    name: z.string().optional().describe('Part of the name or slug, in any case, with or without accents.'),
    updatedSince: z.string().optional().describe(INPUTS.updatedSince.help),
    limit: limitArgument('codes'),
  }),
  output: z.object({
    qrCodes: z.array(CODE_SCHEMA),
    more: z.int().describe('Number of further matching codes that were left out.'),
    moreIsMinimum: z.boolean().describe('Whether there may be even more.'),
  }),
  run: async (call) => {
    const { args, targets } = call;
    const limit = readLimit(args);
    const taken = await find(call, limit);
    const qrCodes = taken.rows.map((code) => codeRecord(code, targets.of(code)));
    const none = taken.isMinimum
      ? `No QR codes were found among the first ${taken.read}.`
      : 'No QR codes were found.';
    const list = qrCodes.length === 0 ? [none] : qrCodes.map(codeLine);
    const more = moreText(taken, 'Narrow the search with name or updatedSince, or raise limit.');
    return {
      text: lines(...list, more),
      structured: { qrCodes, more: taken.more, moreIsMinimum: taken.isMinimum },
    };
  },
};

async function find({ client, args, signal, report }: ToolCall, limit: number): Promise<TakenRows<QrCode>> {
  const code = args.text('code');
  const name = args.text('name');
  const updatedSince = args.time('updatedSince');
  const folded = foldCase(name ?? '');
  const hasName = (row: QrCode) => foldCase(row.name).includes(folded) || foldCase(row.slug).includes(folded);
  if (name !== undefined && folded === '') args.invalid('name', 'text with at least one letter or digit');
  const isReferred = code === undefined ? undefined : hasShortLink(code);
  const matches = (row: QrCode) => hasName(row) && isReferred?.(row) !== false;
  if (code !== undefined && updatedSince === undefined) {
    const reference = readCodeReference(code);
    const found = 'id' in reference ? await findById({ client, signal }, reference.id) : undefined;
    if (found !== undefined) return { rows: [found].filter(matches), more: 0, isMinimum: false, read: 1 };
  }
  return takeRows(
    client.qr.list(omitUndefined({ updatedSince }), { signal }),
    code === undefined ? limit : 1,
    {
      matches,
      report: (read) => report(read, undefined, `${read} QR codes read`),
    },
  );
}

/** The code with exactly this ID; undefined if there is none. */
async function findById(
  { client, signal }: Pick<ToolCall, 'client' | 'signal'>,
  id: string,
): Promise<QrCode | undefined> {
  try {
    const code = await client.qr.get(id, { signal });
    return code.id === id ? code : undefined;
  } catch (error) {
    // The list shows whether a proxy was wrong.
    if (isParameterError(error) || (isApiError(error) && [400, 404, 422].includes(error.status)))
      return undefined;
    throw error;
  }
}
