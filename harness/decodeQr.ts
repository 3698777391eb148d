import jsQR from 'jsqr';
import { PNG } from 'pngjs';

/** A picture, four bytes a pixel. */
export interface Pixels {
  data: Uint8Array;
  width: number;
  height: number;
}

// Its types say that the default import holds the function; at run time it is the function.
const decode = jsQR as unknown as typeof jsQR.default;

/** What the QR code in a picture says, as a phone would read it; undefined where none is found. */
export function decodePixels({ data, width, height }: Pixels): string | undefined {
  return decode(new Uint8ClampedArray(data), width, height)?.data;
}

/** What the QR code in a PNG says. */
export function decodeQr(png: Uint8Array): string | undefined {
  return decodePixels(PNG.sync.read(Buffer.from(png)));
}
