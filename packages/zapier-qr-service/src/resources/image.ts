import { IMAGE_FORMATS, type ImageFormat } from '@qr-service/core';
import type { ZObject } from 'zapier-platform-core';
import { plainError } from '../errors.ts';
import { readText } from '../inputs.ts';

/**
 * The image format asked for; png where none is.
 * @throws Zapier's Error for any other
 */
export function readFormat(z: ZObject, value: unknown): ImageFormat {
  const text = readText(value)?.toLowerCase() ?? 'png';
  const format = IMAGE_FORMATS.find((known) => known === text);
  if (format === undefined)
    throw plainError(
      z,
      `Format must be one of ${IMAGE_FORMATS.join(', ')}. Choose one of them.`,
      'invalid_input',
      422,
    );
  return format;
}

/**
 * The image size asked for, if any. Its unit and bounds are the service's.
 * @throws Zapier's Error for anything but a whole number above 0
 */
export function readSize(z: ZObject, value: unknown): number | undefined {
  const text = readText(value);
  if (text === undefined) return undefined;
  const size = Number(text);
  if (!Number.isSafeInteger(size) || size < 1)
    throw plainError(
      z,
      'Size must be a whole number above 0. Correct it or leave it empty.',
      'invalid_input',
      422,
    );
  return size;
}
