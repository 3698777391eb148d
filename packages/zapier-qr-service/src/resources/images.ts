import { IMAGE_FORMATS, OPERATION_SCOPES } from '@qr-service/core/connector';
import type { ZObject } from 'zapier-platform-core';
import { renderedImage } from '../hydrators/renderedImage.ts';
import type { imageOptions } from '../inputs/fields.ts';

/** A code, as far as a step knows it. */
type KnownCode = Partial<Record<'id' | 'name' | 'updatedAt', unknown>>;

/** Fields for a code's image in each format. */
export const IMAGE_FIELDS = IMAGE_FORMATS.map((format) => ({
  key: `image${format.slice(0, 1).toUpperCase()}${format.slice(1)}`,
  label: `Image (${format.toUpperCase()}), Needs ${OPERATION_SCOPES['qr.render']}`,
  type: 'file' as const,
  format,
}));

/** A code's image, as a file that Zapier fetches only when a later step uses it. */
export function imageFile(z: ZObject, code: KnownCode, options: ReturnType<typeof imageOptions>): string {
  const { id: qrCodeId, name, updatedAt: version } = code;
  // Zapier reuses a file for 5 minutes if the input is the same. With `version`, a changed code is a new input.
  return z.dehydrateFile(renderedImage, { qrCodeId, name, ...options, version });
}

/** The values of a code's image fields. They take no request: Zapier fetches only what a later step uses. */
export function imagesOf(z: ZObject, code: KnownCode): Record<string, string> {
  return Object.fromEntries(IMAGE_FIELDS.map(({ key, format }) => [key, imageFile(z, code, { format })]));
}
