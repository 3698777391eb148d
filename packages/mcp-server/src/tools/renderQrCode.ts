import { IMAGE_FORMATS, INPUTS, invalidParameter, omitUndefined, showText } from '@qr-service/core/connector';
import type { RenderedImage } from '@qr-service/core';
import { z } from 'zod';
import { imageUri } from '../schemas/uris.ts';
import { CODE_ARGUMENT, codeIdOf } from './codeArgument.ts';
import { lines } from './codeResult.ts';
import { READS, type Tool, type ToolCall, type ToolResult } from './Tool.ts';

/** Maximum size of an image that goes into a conversation, in bytes: clients refuse larger ones. */
const MAX_SHOWN_BYTES = 1_000_000;

/** Draws a code. */
export const renderQrCode: Tool = {
  name: 'render_qr_code',
  title: 'Download QR Code Image',
  description: [
    'Draws a QR code as a PNG, SVG or PDF.',
    'Use it to show a code to the user, or to get a file for printing: PNG for screens, SVG or PDF for print.',
    'A PNG is returned as an image. Any format is returned as a link to a resource that can be read, and if the server was started with --out, it is also written to that folder and the path is returned.',
    'It never writes anywhere else, never overwrites another file and changes nothing about the code.',
  ].join(' '),
  annotations: READS,
  operations: ['qr.render'],
  input: z.object({
    code: CODE_ARGUMENT,
    format: z.enum(IMAGE_FORMATS).optional().describe(`${INPUTS.format.help} Default png.`),
    size: z.int().min(1).optional().describe(`${INPUTS.size.help} Leave it out for the service's default.`),
    fileName: z
      .string()
      .optional()
      .describe('Name of the file, if files can be written. No folders. Default: the ID of the code.'),
  }),
  run: async (call) => {
    const { client, args, signal } = call;
    const format = args.oneOf('format', IMAGE_FORMATS) ?? 'png';
    const size = args.wholeNumber('size', { min: 0 }) || undefined;
    const stem = readFileStem(args.text('fileName'));
    const id = await codeIdOf(call);
    const image = await client.qr.render(id, omitUndefined({ format, size }), { signal });
    return toResult(call, { id, image, uri: imageUri(id, { format, size }), stem });
  },
};

async function toResult(
  { outFolder }: ToolCall,
  { id, image, uri, stem }: { id: string; image: RenderedImage; uri: string; stem: string | undefined },
): Promise<ToolResult> {
  const { body, contentType: mimeType, format, fileName } = image;
  const name = stem === undefined ? fileName : `${stem}.${format}`;
  const file = await outFolder?.write(name.slice(0, -format.length - 1), format, body);
  const isShown = format === 'png' && body.length <= MAX_SHOWN_BYTES;
  const link = { type: 'resource_link' as const, uri, name, mimeType, size: body.length };
  const shown = { type: 'image' as const, mimeType, data: Buffer.from(body).toString('base64') };
  const isTooLarge = format === 'png' && !isShown;
  return {
    text: lines(
      `Image of the QR code ${showText(id)}: ${format.toUpperCase()}, ${body.length} bytes.`,
      file === undefined ? '' : `${file.existed ? 'The same file is already at' : 'Written to'} ${file.path}`,
      isTooLarge ? 'It is too large to show here: use a smaller size, or read the resource.' : '',
      file === undefined && !isShown ? `Read it from the resource ${uri}` : '',
    ),
    // Claude Code, Codex and other clients drop all content next to structured content, the image too.
    structured: isShown
      ? undefined
      : { id, format, mimeType, bytes: body.length, uri, path: file?.path ?? null },
    content: [...(isShown ? [shown] : []), link],
  };
}

const EXTENSION = new RegExp(`\\.(?:${IMAGE_FORMATS.join('|')})$`, 'i');

/** A file's name without its extension. It may not name a folder, nor anything special on any system. */
function readFileStem(fileName: string | undefined): string | undefined {
  if (fileName === undefined) return undefined;
  const stem = fileName.replace(EXTENSION, '');
  const isPlain =
    /^[\p{L}\p{M}\p{N}_()+,@=-][\p{L}\p{M}\p{N} ._()+,@=-]{0,119}$/u.test(stem) && !/[. ]$/.test(stem);
  if (isPlain && !/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(stem)) return stem;
  throw invalidParameter(
    fileName,
    { label: 'fileName' },
    'a plain file name',
    'Use letters, digits, spaces, dots and dashes, without folders.',
  );
}
