import jsQR from 'jsqr';
import { PNG } from 'pngjs';

/** An image with four bytes per pixel. */
export interface Pixels {
  data: Uint8Array;
  width: number;
  height: number;
}

// The types declare the function as `default` of the import, but at run time the import is the function.
const decode = jsQR as unknown as typeof jsQR.default;

/** Decodes the QR code in an image, dark on light. Returns undefined if there is none. */
export function decodePixels({ data, width, height }: Pixels): string | undefined {
  return decode(new Uint8ClampedArray(data), width, height, { inversionAttempts: 'dontInvert' })?.data;
}

/** Decodes the QR code in a PNG. */
export function decodeQr(png: Uint8Array): string | undefined {
  return decodePixels(PNG.sync.read(Buffer.from(png)));
}
