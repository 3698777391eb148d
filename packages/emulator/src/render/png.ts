import { toBuffer } from 'qrcode';
import { QUIET_ZONE, type CardInput } from './symbol.ts';

/** A square png of exactly `size` pixels. */
export function renderPng({ symbol, content, size }: CardInput): Promise<Uint8Array> {
  const modules = symbol.modules.size;
  // Modules of whole pixels read best; what is left over goes into the margin.
  const pixels = Math.floor(size / (modules + 2 * QUIET_ZONE));
  const margin = pixels > 0 ? (size / pixels - modules) / 2 : QUIET_ZONE;
  return toBuffer(content, { type: 'png', errorCorrectionLevel: 'M', width: size, margin });
}
