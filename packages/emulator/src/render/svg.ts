import { toString } from 'qrcode';
import { QUIET_ZONE, type CardInput } from './symbol.ts';

/** A square SVG of `size` pixels, scalable to any other size. */
export async function renderSvg({ content, size }: CardInput): Promise<Uint8Array> {
  const svg = await toString(content, {
    type: 'svg',
    errorCorrectionLevel: 'M',
    width: size,
    margin: QUIET_ZONE,
  });
  return new TextEncoder().encode(svg);
}
