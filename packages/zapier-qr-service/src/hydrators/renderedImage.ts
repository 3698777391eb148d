import type { Bundle, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { guarded } from '../errors/withZapierErrors.ts';
import { textInput, ownInput } from '../inputs/readInputs.ts';
import { QR_CODE_ID_FIELD } from '../resources/qrCodeId.ts';
import { readFormat, readSize } from '../inputs/imageFields.ts';

/** A slug that is a file's name as it stands. */
const FILE_STEM = /^\w[\w.-]{0,199}$/;

/** Renders a code when a step uses the file, and hands it to Zapier's own store. Gives the file's address. */
export const renderedImage = guarded(async (z: ZObject, bundle: Bundle): Promise<string> => {
  const slug = ownInput(bundle, 'slug') ?? '';
  const size = readSize(bundle);
  const image = await createClient(z, bundle).qr.render(textInput(bundle, QR_CODE_ID_FIELD), {
    format: readFormat(bundle),
    ...(size === undefined ? {} : { size }),
  });
  const name = FILE_STEM.test(slug) ? `${slug}.${image.format}` : image.fileName;
  return z.stashFile(Buffer.from(image.body), image.body.length, name, image.contentType);
});
