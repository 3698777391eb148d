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
export function decodePixels(image: Pixels): string | undefined {
  const { data, width, height } = shrink(image);
  return decode(data, width, height, { inversionAttempts: 'dontInvert' })?.data;
}

/** Keeps every nth pixel of a large image: in Jest, decoding one of 512 pixels takes a third of a second. */
function shrink({ data, width, height }: Pixels) {
  const step = Math.max(1, Math.floor(width / 170));
  const size = { width: Math.ceil(width / step), height: Math.ceil(height / step) };
  const pixels = new Uint32Array(new Uint8Array(data).buffer);
  const kept = new Uint32Array(size.width * size.height);
  for (let y = 0; y < size.height; y++)
    for (let x = 0; x < size.width; x++) kept[y * size.width + x] = pixels[step * (y * width + x)]!;
  return { data: new Uint8ClampedArray(kept.buffer), ...size };
}

/** Decodes the QR code in a PNG. */
export function decodeQr(png: Uint8Array): string | undefined {
  return decodePixels(PNG.sync.read(Buffer.from(png)));
}
