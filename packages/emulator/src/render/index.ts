import type { ImageFormat } from '@qr-service/core';
import { renderPdf } from './pdf.ts';
import { renderPng } from './png.ts';
import { renderSvg } from './svg.ts';
import { createSymbol } from './symbol.ts';

/** Sides that a card can have, in pixels (in points, for a pdf). */
export const SIZES = { least: 64, most: 4096, default: 512 } as const;

/** A rendered card. */
export interface Card {
  bytes: Uint8Array<ArrayBuffer>;
  contentType: string;
}

const RENDERERS = {
  png: { render: renderPng, contentType: 'image/png' },
  svg: { render: renderSvg, contentType: 'image/svg+xml' },
  pdf: { render: renderPdf, contentType: 'application/pdf' },
} as const;

/** Renders a code that says `content`, with its quiet zone, as wide as `size`. */
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
