import { fileStem, IMAGE_FORMATS, OPERATION_SCOPES } from '@qr-service/core/connector';
import type { Bundle, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { withZapierErrors } from '../errors/zapierErrors.ts';
import { imageOptions } from '../inputs/fields.ts';
import { ownInput, textInput } from '../inputs/readInputs.ts';
import { QR_CODE_ID_FIELD } from './qrCodeId.ts';

/** A code, as far as a step knows it. */
type KnownCode = Partial<Record<'id' | 'name' | 'updatedAt', unknown>>;

/** Fields for a code's image in each format. */
export const IMAGE_FIELDS = IMAGE_FORMATS.map((format) => ({
  key: `image${format.slice(0, 1).toUpperCase()}${format.slice(1)}`,
  label: `Image (${format.toUpperCase()}), Needs ${OPERATION_SCOPES['qr.render']}`,
  type: 'file' as const,
  format,
}));

/** Renders a code when a step uses its file, and uploads it to Zapier's file store. Returns the file's URL. */
export const renderedImage = withZapierErrors(async (z: ZObject, bundle: Bundle): Promise<string> => {
  const id = textInput(bundle, QR_CODE_ID_FIELD);
  const image = await createClient(z, bundle).qr.render(id, imageOptions(bundle));
  const name = `${fileStem(ownInput(bundle, 'name'), id)}.${image.format}`;
  return z.stashFile(Buffer.from(image.body), image.body.length, name, image.contentType);
});

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
