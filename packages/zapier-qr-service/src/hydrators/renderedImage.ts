import type { Bundle, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { withZapierErrors } from '../errors/zapierErrors.ts';
import { imageOptions } from '../inputs/fields.ts';
import { ownInput, textInput } from '../inputs/readInputs.ts';
import { QR_CODE_ID_FIELD } from '../resources/qrCodeId.ts';

/** A slug that is a valid file name. */
const FILE_STEM = /^\w[\w.-]{0,199}$/;

/** Renders a code when a step uses its file, and uploads it to Zapier's file store. Returns the file's URL. */
export const renderedImage = withZapierErrors(async (z: ZObject, bundle: Bundle): Promise<string> => {
  const slug = ownInput(bundle, 'slug') ?? '';
  const image = await createClient(z, bundle).qr.render(
    textInput(bundle, QR_CODE_ID_FIELD),
    imageOptions(bundle),
  );
  const name = FILE_STEM.test(slug) ? `${slug}.${image.format}` : image.fileName;
  return z.stashFile(Buffer.from(image.body), image.body.length, name, image.contentType);
});
