import type { ImageFormat } from '@qr-service/core';
import { renderPdf } from './pdf.ts';
import { renderPng } from './png.ts';
import { renderSvg } from './svg.ts';
import { createSymbol } from './symbol.ts';

/** Side lengths of a card, in pixels (for a PDF, in points). */
export const SIZES = { min: 64, max: 4096, default: 512 } as const;

/** A rendered card. */
interface Card {
  bytes: Uint8Array<ArrayBuffer>;
  contentType: string;
}

const RENDERERS = {
  png: { render: renderPng, contentType: 'image/png' },
  svg: { render: renderSvg, contentType: 'image/svg+xml' },
  pdf: { render: renderPdf, contentType: 'application/pdf' },
} as const;

/** Renders a QR code that encodes `content`, `size` wide including its quiet zone. */
export async function renderCard(
  content: string,
  name: string,
  format: ImageFormat,
  size: number,
): Promise<Card> {
  const { render, contentType } = RENDERERS[format];
  const bytes = await render({ symbol: createSymbol(content), content, name, size });
  return { bytes: new Uint8Array(bytes), contentType };
}
