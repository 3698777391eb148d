import { crc32, deflateSync } from 'node:zlib';
import type { ImageFormat } from '@qr-service/core';
import { create, toString } from 'qrcode';

/** Side lengths of a card, in pixels (for a PDF, in points). */
export const SIZES = { min: 64, max: 4096, default: 512 } as const;

/** What a card shows. */
interface CardInput {
  /** What the symbol encodes. */
  content: string;
  /** Display name of the code. */
  name: string;
  /** Width of the card, quiet zone included. */
  size: number;
}

/** Blank modules around a symbol, as its standard (ISO/IEC 18004) requires. */
const QUIET_ZONE = 4;
const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Tolerates some dirt. */
const LEVEL = { errorCorrectionLevel: 'M' } as const;

const RENDERERS = {
  png: { render: renderPng, contentType: 'image/png' },
  svg: { render: renderSvg, contentType: 'image/svg+xml' },
  pdf: { render: renderPdf, contentType: 'application/pdf' },
} as const;

/** Renders a QR code that encodes `content`, `size` wide including its quiet zone. */
export async function renderCard(content: string, name: string, format: ImageFormat, size: number) {
  const { render, contentType } = RENDERERS[format];
  return { bytes: new Uint8Array(await render({ content, name, size })), contentType };
}

/**
 * A square grayscale PNG of exactly `size` pixels. Modules scan best at whole pixels; the remaining pixels go into the margin.
 * Writing runs of modules takes a tenth of the library's time.
 */
function renderPng({ content, size }: CardInput): Uint8Array {
  const { modules } = create(content, LEVEL);
  const pixels = Math.max(1, Math.floor(size / (modules.size + 2 * QUIET_ZONE)));
  const margin = Math.floor((size - modules.size * pixels) / 2);

  // Each line of pixels starts with the number of its filter: 0, none.
  const stride = size + 1;
  const lines = Buffer.alloc(stride * size, 0xff);
  for (let y = 0; y < size; y++) lines[y * stride] = 0;
  for (let row = 0; row < modules.size; row++)
    for (let column = 0; column < modules.size; column++) {
      if (!modules.get(row, column)) continue;
      const from = 1 + margin + column * pixels;
      for (let y = margin + row * pixels; y < margin + (row + 1) * pixels; y++)
        lines.fill(0, y * stride + from, y * stride + from + pixels);
    }

  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // Eight bits per pixel. Color type, compression, filter and interlacing are 0: grayscale, deflate, standard, none.
  header[8] = 8;
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(lines)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([PNG_SIGNATURE, ...chunks]);
}

/** A chunk of a PNG file: length, type, data, checksum of type and data. */
function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

async function renderSvg({ content, size }: CardInput): Promise<Uint8Array> {
  const svg = await toString(content, { ...LEVEL, type: 'svg', width: size, margin: QUIET_ZONE });
  return new TextEncoder().encode(svg);
}

/** A PDF page, `size` points wide: the symbol, with its content in small print below. */
async function renderPdf({ content, name, size }: CardInput): Promise<Uint8Array> {
  // Imported on first use, because it takes as long to load as the rest of the emulator.
  const { default: PDFDocument } = await import('pdfkit');
  const caption = size / 16;
  const document = new PDFDocument({ size: [size, size + caption * 1.5], margin: 0, info: { Title: name } });
  const chunks: Uint8Array[] = [];
  const done = new Promise<Uint8Array>((resolve, reject) => {
    document.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    document.on('end', () => resolve(Buffer.concat(chunks)));
    document.on('error', reject);
  });

  const { modules } = create(content, LEVEL);
  const side = size / (modules.size + 2 * QUIET_ZONE);
  for (let row = 0; row < modules.size; row++)
    for (let column = 0; column < modules.size; column++)
      if (modules.get(row, column))
        document.rect((column + QUIET_ZONE) * side, (row + QUIET_ZONE) * side, side, side);
  document.fill('black');

  document.fontSize(caption * 0.6);
  const scale = Math.min(1, (size * 0.9) / document.widthOfString(content));
  document.fontSize(caption * 0.6 * scale);
  document.text(content, 0, size, { width: size, align: 'center', lineBreak: false });
  document.end();
  return done;
}
