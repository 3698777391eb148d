import { create, type QRCode } from 'qrcode';

/** What the renderers draw. */
export interface CardInput {
  symbol: QRCode;
  /** What the symbol says. */
  content: string;
  /** Display name of the code. */
  name: string;
  /** Width of the card. */
  size: number;
}

/** Modules left blank around a symbol, as its standard (ISO/IEC 18004) asks. */
export const QUIET_ZONE = 4;

/** The QR symbol of a text, with error correction that stands some dirt (level M). */
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
