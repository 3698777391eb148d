import type { ImageFormat, QrCode, RenderedImage } from '@qr-service/core';
import {
  describeError,
  errorText,
  IMAGE_FORMATS,
  imageMimeType,
  isOwnError,
  omitUndefined,
} from '@qr-service/core/connector';
import { z } from 'zod';
import { IMAGE_WORDS } from '../errors/words.ts';
import { codeUri, imageUri } from '../schemas/uris.ts';
import { fileStem } from '../session/OutputFolder.ts';
import { GeneralFailure } from './GeneralFailure.ts';
import type { RowResult } from './rowResults.ts';
import type { ToolCall } from './Tool.ts';

/** What is drawn: a code's ID, and its slug, if it is known. */
type DrawnCode = Pick<QrCode, 'id'> & { slug?: unknown };

/** How codes are drawn. */
interface ImageOptions {
  format: ImageFormat;
  /** In the service's unit. */
  size?: number | undefined;
}

/** A code's image. */
export interface DrawnImage {
  /** Path of its file; without a folder to write to, its resource. */
  place: string;
  image: RenderedImage;
}

/** The argument of tools that create codes. */
export const IMAGES_ARGUMENT = z
  .enum(IMAGE_FORMATS)
  .optional()
  .describe('Also draws each code: png for screens, svg or pdf for print. Default: no images.');

/** What the result of such a tool has for a row. */
export const IMAGE_FIELDS = {
  image: z.string().optional().describe('Path of the image, or else the resource to read it from.'),
  imageError: z.string().optional().describe('Why there is no file.'),
};

/**
 * Returns what adds the image to the result of a row, if the argument `images` asks for it. Without a folder to write to,
 * that is a resource, which is drawn once it is read.
 */
export function imagesOfRows(
  call: ToolCall,
): <Result extends RowResult<string>>(result: Result) => Promise<Result> {
  const { args, canDraw, outFolder, signal } = call;
  const format = args.oneOf('images', IMAGE_FORMATS);
  if (format === undefined) return (result) => Promise.resolve(result);
  if (!canDraw) args.invalid('images', 'left out, as the API key lacks the scope exports:read');
  const drawer = new Drawer(call, { format });
  return async (result) => {
    const { qrCode } = result;
    if (qrCode === undefined) return result;
    const uri = imageUri(qrCode.id, { format });
    if (outFolder === undefined) return { ...result, image: uri };
    try {
      return { ...result, image: (await drawer.draw(qrCode)).place };
    } catch (error) {
      signal.throwIfAborted();
      return { ...result, image: uri, imageError: imageError(error) };
    }
  };
}

/** Why a code that exists has no file. */
function imageError(error: unknown): string {
  const why = isOwnError(error, 404)
    ? `The service doesn't find it yet. Wait a few minutes, then ${IMAGE_WORDS.rerun}.`
    : errorText(describeError(error, IMAGE_WORDS));
  return `The code exists, but its image could not be written. ${why}`;
}

/** Draws the codes of one call, each once, and writes their files. */
export class Drawer {
  readonly #call: ToolCall;
  readonly #options: ImageOptions;
  readonly #generalFailure: GeneralFailure;
  readonly #drawn = new Map<string, Promise<DrawnImage>>();

  constructor(call: ToolCall, options: ImageOptions) {
    this.#call = call;
    this.#options = options;
    this.#generalFailure = new GeneralFailure(call.client);
  }

  /** Draws a code and writes its file, if there is a folder. */
  draw(code: DrawnCode): Promise<DrawnImage> {
    const drawn = this.#drawn.get(code.id) ?? this.attempt(() => this.#draw(code));
    this.#drawn.set(code.id, drawn);
    return drawn;
  }

  /** Runs work on a code, unless earlier work has failed for a reason that concerns all codes. */
  async attempt<Result>(work: () => Promise<Result>): Promise<Result> {
    const failure = this.#generalFailure.errorFor({ isExisting: true });
    if (failure !== undefined) throw failure as Error;
    try {
      return await work();
    } catch (error) {
      this.#generalFailure.note(error);
      throw error;
    }
  }

  async #draw(code: DrawnCode): Promise<DrawnImage> {
    const { client, outFolder, signal } = this.#call;
    const image = await client.qr.render(code.id, omitUndefined(this.#options), { signal });
    const uri = imageUri(code.id, this.#options);
    const path = await outFolder?.write(fileStem(code), image.format, image.body, uri);
    return { image, place: path ?? uri };
  }
}

/** Links to those images of rows that are resources. */
export function imageLinks(results: readonly RowResult<string>[]) {
  return results.flatMap(({ image: uri = '', qrCode }) => {
    if (qrCode === undefined || !uri.startsWith(codeUri(qrCode.id))) return [];
    const format = new URL(uri).searchParams.get('format') as ImageFormat;
    const name = `${fileStem(qrCode)}.${format}`;
    return [{ type: 'resource_link' as const, uri, name, mimeType: imageMimeType(format) }];
  });
}
