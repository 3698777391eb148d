import jsQR from 'jsqr';
import { PNG } from 'pngjs';

/** What the QR code in a PNG says, as a phone would read it; undefined where none is found. */
export function decodeQr(png: Uint8Array): string | undefined {
  const { data, width, height } = PNG.sync.read(Buffer.from(png));
  return jsQR(new Uint8ClampedArray(data), width, height)?.data;
}
