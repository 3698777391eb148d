import type { CallToolResult } from '@modelcontextprotocol/server';
import { QrServiceError, type ImageFormat, type QrCode, type RenderedImage } from '@qr-service/core';
import {
  describeError,
  errorText,
  fileStem,
  IMAGE_FORMATS,
  invalidParameter,
  isOwnError,
  omitUndefined,
} from '@qr-service/core/connector';
import { IMAGE_WORDS, toToolError } from '../errors/toolError.ts';
import { oneOf } from '../schemas/arguments.ts';
import { createGeneralFailure } from './generalFailure.ts';
import type { RowResult } from './rows.ts';
import type { ToolCall } from './Tool.ts';

/** The argument `images` of tools that create codes. */
export const IMAGES_ARGUMENT = oneOf(
  'Also draws each code: png for screens, svg or pdf for print. Default: no images.',
  IMAGE_FORMATS,
);

/** Maximum size of the images that are attached to one result, in bytes: clients refuse larger results. */
const MAX_ATTACHED_BYTES = 1_000_000;

/** The `image` of a row whose image is attached to the result. */
export const ATTACHED = 'attached';

/** What is drawn: a code's ID, and its slug, if it is known. */
type DrawnCode = Pick<QrCode, 'id'> & { slug?: unknown };
type Content = CallToolResult['content'][number];

/** Draws the codes of a call: see `createDrawer`. */
export type Drawer = ReturnType<typeof createDrawer>;

/**
 * Returns the drawer of a call whose argument `images` names a format; otherwise undefined.
 * @throws ParameterError, before any code is created, if the API key may not draw
 */
export function drawerFor(call: ToolCall, images: ImageFormat | undefined): Drawer | undefined {
  if (images === undefined) return undefined;
  if (call.canDraw) return createDrawer(call, { format: images });
  throw invalidParameter(images, { label: 'images' }, 'left out: the API key lacks the scope exports:read');
}

/** Draws the codes of one call, each once. Writes them to the --out folder, or else attaches them to the result. */
export function createDrawer(
  { client, outFolder, signal }: ToolCall,
  options: { format: ImageFormat; size?: number | undefined },
) {
  const generalFailure = createGeneralFailure();
  const drawings = new Map<string, ReturnType<typeof drawOnce>>();
  const toAttach = new Map<number, { id: string; image: RenderedImage }>();
  const attached: Content[] = [];
  let attachedBytes = 0;

  /** Draws a code, unless earlier ones have failed for a reason that concerns all. */
  async function drawOnce({ id, slug }: DrawnCode) {
    const failure = generalFailure.errorFor({ isExisting: true });
    if (failure !== undefined) throw failure as Error;
    try {
      const image = await client.qr.render(id, omitUndefined(options), { signal });
      generalFailure.note(undefined);
      return { image, path: await outFolder?.write(fileStem(slug, id), image.format, image.body) };
    } catch (error) {
      generalFailure.note(error);
      throw error;
    }
  }

  /**
   * Draws a row's code.
   * @param options.isOnly whether no other code is drawn: then, an image to look at is attached next to its file
   * @returns the path of its file, or `attached`
   */
  async function draw(row: number, code: DrawnCode, { isOnly = false } = {}): Promise<string> {
    const drawing = drawings.get(code.id) ?? drawOnce(code);
    drawings.set(code.id, drawing);
    const { image, path } = await drawing;
    const isShown = isOnly && image.format === 'png' && image.body.length <= MAX_ATTACHED_BYTES;
    if (path === undefined || isShown) toAttach.set(row, { id: code.id, image });
    return path ?? ATTACHED;
  }

  return {
    draw,
    /** Adds its image to a row's result. */
    async addTo(result: RowResult): Promise<RowResult> {
      const { qrCode, row, image } = result;
      if (qrCode === undefined || image !== undefined) return result;
      try {
        return { ...result, image: await draw(row, qrCode) };
      } catch (error) {
        signal.throwIfAborted();
        return { ...result, imageError: imageError(error) };
      }
    },
    /** Attaches a row's image if it fits after those of the rows before: call it in their order. */
    attach(result: RowResult): RowResult {
      const { row, outcome } = result;
      const drawn = toAttach.get(row);
      if (drawn === undefined) return result;
      attachedBytes += drawn.image.body.length;
      if (attachedBytes > MAX_ATTACHED_BYTES && outcome === 'drawn')
        return { row, outcome: 'failed', error: toToolError(TOO_LARGE) };
      if (attachedBytes > MAX_ATTACHED_BYTES)
        return { ...result, image: undefined, imageError: imageError(TOO_LARGE) };
      attached.push(contentOf(drawn.id, drawn.image));
      return result;
    },
    attached,
  };
}

const TOO_LARGE = new QrServiceError('The images are too large for one result.', {
  code: 'images_too_large',
  detail: 'Draw fewer codes in one call, or ask the user to start this server with --out.',
});

/** A PNG as an image, and anything else as a file. */
function contentOf(id: string, { body, contentType: mimeType, format }: RenderedImage): Content {
  const bytes = Buffer.from(body);
  const data = bytes.toString('base64');
  if (format === 'png') return { type: 'image', mimeType, data };
  const file = { uri: `qr://codes/${encodeURIComponent(id)}.${format}`, mimeType };
  if (format === 'pdf') return { type: 'resource', resource: { ...file, blob: data } };
  return { type: 'resource', resource: { ...file, text: bytes.toString('utf8') } };
}

/** Why a code that exists has no image. */
function imageError(error: unknown): string {
  const why = isOwnError(error, 404)
    ? `The service doesn't find it yet. Wait a few minutes, then ${IMAGE_WORDS.rerun}.`
    : errorText(describeError(error, IMAGE_WORDS));
  return `The code exists, but there is no image of it. ${why}`;
}
