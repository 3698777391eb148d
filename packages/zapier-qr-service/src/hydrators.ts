import type { Bundle, ZObject } from 'zapier-platform-core';
import { createClient } from './client.ts';
import { guarded } from './perform.ts';
import { readFormat, readSize } from './resources/image.ts';

/** A slug that is a file's name as it stands. */
const FILE_STEM = /^\w[\w.-]{0,199}$/;

/** Renders a code when a step uses the file, and hands it to Zapier's own store. Gives the file's address. */
export const renderedImage = guarded(async (z: ZObject, bundle: Bundle): Promise<string> => {
  const { qrCodeId, slug, format, size } = bundle.inputData;
  const wanted = readSize(z, size);
  const image = await createClient(z, bundle).qr.render(String(qrCodeId), {
    format: readFormat(z, format),
    ...(wanted === undefined ? {} : { size: wanted }),
  });
  const name = typeof slug === 'string' && FILE_STEM.test(slug) ? `${slug}.${image.format}` : image.fileName;
  return z.stashFile(Buffer.from(image.body), image.body.length, name, image.contentType);
});
