import { create, type QRCode } from 'qrcode';

/** Input of the renderers. */
export interface CardInput {
  symbol: QRCode;
  /** What the symbol encodes. */
  content: string;
  /** Display name of the code. */
  name: string;
  /** Width of the card. */
  size: number;
}

/** Blank modules around a symbol, as its standard (ISO/IEC 18004) requires. */
export const QUIET_ZONE = 4;

/** The QR symbol of a text, with error correction level M, which tolerates some dirt. */
export function createSymbol(content: string): QRCode {
  return create(content, { errorCorrectionLevel: 'M' });
}

/** The dark modules, row by row, as runs: `[row, first column, length]`. */
export function* darkRuns({ modules }: QRCode): Generator<[row: number, column: number, length: number]> {
  for (let row = 0; row < modules.size; row++) {
    for (let column = 0; column < modules.size; column++) {
      let length = 0;
      while (column + length < modules.size && modules.get(row, column + length)) length++;
      if (length > 0) yield [row, column, length];
      column += length;
    }
  }
}
