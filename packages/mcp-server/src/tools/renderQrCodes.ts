import type { QrCode } from '@qr-service/core';
import { CodeFinder, IMAGE_FORMATS, INPUTS } from '@qr-service/core/connector';
import * as z from 'zod';
import { isAboutCode, toToolError, type ToolError } from '../errors/toolError.ts';
import { Arguments } from '../schemas/Arguments.ts';
import { Drawer, type RowResult } from './images.ts';
import { codeIdOf } from './oneCode.ts';
import { MAX_ROWS, parseJson } from './rows.ts';
import { processRows, rowsResult } from './runRows.ts';
import { READS, SEARCH_MS, type Tool, type ToolCall } from './Tool.ts';

/** Draws codes. */
export const renderQrCodes: Tool = {
  name: 'render_qr_codes',
  title: 'Download QR Code Images',
  description: [
    `Draws 1 to ${MAX_ROWS} existing QR codes as PNG, SVG or PDF: PNG for screens, SVG or PDF for print.`,
    'Use it to show a code to the user, or to get files. For codes that you create, set images there instead.',
    'A single PNG is returned as an image. If the server was started with --out, each image is written to that folder and its path returned; otherwise, the images follow the result.',
    'It never writes anywhere else, never overwrites another file and changes nothing about a code.',
  ].join(' '),
  annotations: READS,
  writesFiles: true,
  operations: ['qr.render'],
  input: z.object({
    codes: z
      .array(z.string())
      .min(1)
      .max(MAX_ROWS)
      .describe('IDs, or short links as printed. Not names: use find_qr_codes to find the IDs.'),
    format: z.enum(IMAGE_FORMATS).optional().describe(`${INPUTS.format.help} Default png.`),
    size: z.int().min(1).optional().describe(`${INPUTS.size.help} Leave it out for the service's default.`),
  }),
  run: async (call) => {
    const { args, signal } = call;
    const codes = readCodes(args);
    const isSingle = codes.length === 1;
    const format = args.oneOf('format', IMAGE_FORMATS) ?? 'png';
    const size = args.wholeNumber('size', { min: 0 }) || undefined;
    const find = codeFinder(call, codes.length);
    const drawer = new Drawer(call, { format, size });
    const results = await processRows(call, codes, async ({ row, code }): Promise<RowResult> => {
      try {
        const found = await drawer.attempt(() => find(code));
        const image = await drawer.draw(row, found, { isOnly: isSingle });
        return { row, outcome: 'drawn', qrCode: { id: found.id }, image };
      } catch (error) {
        signal.throwIfAborted();
        if (isSingle) throw error;
        return { row, outcome: 'failed', error: rowError(error, row) };
      }
    });
    const result = rowsResult(results, {
      hasSucceeded: ({ outcome }) => outcome === 'drawn',
      summary: (count) => `Drew ${count('drawn')} of ${results.length} as ${format.toUpperCase()}.`,
      describe: ({ qrCode }) => [qrCode === undefined ? '' : `ID ${qrCode.id}`],
    });
    const content = drawer.attached;
    // Claude Code, Codex and other clients drop all content next to structured content, images too.
    return content.length === 0 ? result : { ...result, structured: undefined, content };
  },
};

/** The codes that a call names, each as the arguments of a row. Models send an array, its JSON text, or one code alone. */
function readCodes(args: Arguments): { row: number; code: Arguments }[] {
  const given = args.value(args.firstOf(['codes', 'code']) ?? 'codes');
  const isJson = typeof given === 'string' && given.trim().startsWith('[');
  const codes = [isJson ? parseJson(given) : (given ?? [])].flat<unknown[]>();
  if (codes.length === 0 || codes.length > MAX_ROWS)
    args.invalid('codes', `an array of 1 to ${MAX_ROWS} IDs or short links`);
  return codes.map((code, index) => {
    const row = index + 1;
    return { row, code: new Arguments({ code }, ` of row ${row}`) };
  });
}

/** Finds a code, with its slug for the name of its file, if there is a folder and the API key may read codes. */
function codeFinder({ client, outFolder, signal }: ToolCall, lookups: number) {
  const codes = new CodeFinder(client.qr, { searchMs: SEARCH_MS, signal, lookups });
  return async (args: Arguments): Promise<Pick<QrCode, 'id'> & { slug?: unknown }> => {
    const id = await codeIdOf({ client, args, signal }, codes);
    const code = outFolder === undefined ? undefined : await codes.byId(id).catch(() => undefined);
    return code ?? { id };
  };
}

/** The core's errors name a code by its label. */
function rowError(error: unknown, row: number): ToolError {
  const told = toToolError(error);
  const isCode = isAboutCode(error) || told.argument === INPUTS.qrCodeId.label;
  return isCode ? { ...told, argument: `code of row ${row}` } : told;
}
