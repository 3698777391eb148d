import type { ImageFormat } from '@qr-service/core';
import { fails, works, type Outcome } from '../findings/Finding.ts';
import { needsCodes, type Probe } from './Probe.ts';

/** Something may follow, but a PDF's end may also be that of its first part. */
const ENDS: Record<ImageFormat, RegExp> = {
  png: /IEND/,
  svg: /<\/svg\s*>|<svg\b[^>]*\/>/,
  pdf: /%%EOF[^]{0,1024}$/,
};

/** Renders a code, and looks whether the image is whole: the connectors look at its start alone. */
export function checkImage(format: ImageFormat): (probe: Probe) => Promise<Outcome> {
  return async (probe) => {
    const code = probe.known.own ?? probe.known.codes?.[0];
    if (code === undefined) return needsCodes(probe, 'code');
    const { body } = await probe.client.qr.render(code.id, { format });
    return ENDS[format].test(new TextDecoder('latin1').decode(body))
      ? works(`${(body.length / 1000).toFixed(1)} kB`)
      : fails('cut off', `The end of the file is missing (${body.length} bytes).`);
  };
}
