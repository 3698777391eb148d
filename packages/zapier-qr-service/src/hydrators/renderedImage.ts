import { fileStem } from '@qr-service/core/connector';
import type { Bundle, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { withZapierErrors } from '../errors/zapierErrors.ts';
import { imageOptions } from '../inputs/fields.ts';
import { ownInput, textInput } from '../inputs/readInputs.ts';
import { QR_CODE_ID_FIELD } from '../resources/qrCodeId.ts';

/** Renders a code when a step uses its file, and uploads it to Zapier's file store. Returns the file's URL. */
export const renderedImage = withZapierErrors(async (z: ZObject, bundle: Bundle): Promise<string> => {
  const id = textInput(bundle, QR_CODE_ID_FIELD);
  const image = await createClient(z, bundle).qr.render(id, imageOptions(bundle));
  const name = `${fileStem(ownInput(bundle, 'name'), id)}.${image.format}`;
  return z.stashFile(Buffer.from(image.body), image.body.length, name, image.contentType);
});
