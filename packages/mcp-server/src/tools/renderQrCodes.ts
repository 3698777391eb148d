import { CodeFinder, IMAGE_FORMATS, INPUTS, toRequiredText } from '@qr-service/core/connector';
import * as z from 'zod';
import { MCP_WORDS, rowWords } from '../errors/toolError.ts';
import { list, MAX_ROWS, oneOf, requiredText, wholeNumber } from '../schemas/arguments.ts';
import { codeRecord } from '../schemas/records.ts';
import { targetOf } from '../session/session.ts';
import { createDrawer } from './images.ts';
import { readRows, sendRows } from './rows.ts';
import { defineTool, READS, SEARCH_MS } from './Tool.ts';

/** Draws codes. */
export const renderQrCodes = defineTool({
  name: 'render_qr_codes',
  title: 'Download QR Code Images',
  description: [
    `Draws 1 to ${MAX_ROWS} existing QR codes as PNG, SVG or PDF: PNG for screens, SVG or PDF for print.`,
    'Use it to get files, or to look at a code. For codes that you create, set images there instead.',
    'A single PNG is returned as an image. If the server writes images to its --out folder, their paths are returned; otherwise, the images follow the result. Without a page in the chat, many clients do not show them: to see one, the user opens its file.',
    'It never writes anywhere else, never overwrites another file and changes nothing about a code.',
  ].join(' '),
  annotations: READS,
  page: 'the codes and their images',
  writesFiles: true,
  operations: ['qr.render'],
  input: {
    codes: list('IDs, or short links as printed. Not names: use find_qr_codes to find the IDs.', z.string()),
    format: oneOf(`${INPUTS.format.help} Default png.`, IMAGE_FORMATS),
    size: wholeNumber('Size of the image. Leave it out for the default size.', { min: 0 }),
  },
  run: async (call, { codes, format = 'png', size = 0 }) => {
    const { client, memory, outFolder, signal } = call;
    const finder = new CodeFinder(client.qr, { searchMs: SEARCH_MS, signal, lookups: codes.length });
    const drawer = createDrawer(call, { format, size: size === 0 ? undefined : size });
    const readCode = (code: unknown) => ({ named: toRequiredText(code, { label: 'code' }), key: undefined });
    const rows = readRows(codes, readCode);
    const result = await sendRows(call, rows, {
      errorWords: { ...rowWords('render_qr_codes'), ...MCP_WORDS },
      drawer,
      isExisting: () => true,
      send: async ({ named }, row) => {
        const id = await finder.idOf(named);
        // Its slug names the file, if the API key may read it.
        const code = (outFolder && (await finder.byId(id).catch(() => undefined))) ?? { id };
        const image = await drawer.draw(row, code, { isOnly: codes.length === 1 });
        return { outcome: 'drawn', qrCode: codeRecord(code, targetOf(memory, code)), image };
      },
      summary: (countOf) => `Drew ${countOf('drawn')} of ${codes.length} as ${format.toUpperCase()}.`,
    });
    // Claude Code, Codex and other clients drop all content next to structured content, images too.
    if (drawer.attached.length === 0) return result;
    const meta = call.showsPages ? { page: result.structured } : undefined;
    return { ...result, structured: undefined, meta };
  },
});

/** Draws a code for the page that shows results, and writes no file. The service says whether the API key may draw. */
export const previewQrCode = defineTool({
  name: 'preview_qr_code',
  title: 'Preview QR Code',
  description: 'Draws a QR code.',
  page: 'calls',
  annotations: READS,
  operations: [],
  input: { code: requiredText("The QR code's ID.") },
  run: (call, { code }) => renderQrCodes.run({ ...call, outFolder: undefined }, { codes: [code] }),
});
