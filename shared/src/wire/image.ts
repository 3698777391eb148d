import { IMAGE_FORMATS, type ImageFormat } from '../contract/types.ts';
import { QrServiceError } from '../errors/QrServiceError.ts';
import { showText } from '../errors/sentences.ts';
import { describeIntermediary } from './errorBody.ts';
import type { WireHeaders } from './headers.ts';

/** MIME type of each format. */
export const IMAGE_MIME_TYPES = {
  png: 'image/png',
  svg: 'image/svg+xml',
  pdf: 'application/pdf',
} as const satisfies Record<ImageFormat, string>;

/** Detects an image's format by its first bytes, or throws `unreadable_response` if it isn't the one that was requested. */
export function readImageFormat(
  headers: WireHeaders,
  bytes: Uint8Array,
  requested?: ImageFormat,
): ImageFormat {
  const format = IMAGE_FORMATS.find((candidate) => isFormat(candidate, bytes));
  if (format !== undefined && (requested ?? format) === format) return format;
  const expected = format === undefined || requested === undefined ? 'a PNG, SVG or PDF' : requested;
  const got = `${format ?? showText(describeIntermediary(headers))} (${bytes.length} bytes)`;
  throw new QrServiceError(`Expected ${expected}, but got ${got}.`, { code: 'unreadable_response' });
}

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** How far into an image its format shows: drawing programs put long comments in front. */
const MAX_PROLOG_BYTES = 256 * 1024;

function isFormat(format: ImageFormat, bytes: Uint8Array): boolean {
  if (format === 'png') return PNG_SIGNATURE.every((byte, index) => bytes[index] === byte);
  const start = new TextDecoder().decode(bytes.subarray(0, MAX_PROLOG_BYTES));
  return format === 'pdf' ? /^\s*%PDF-/.test(start) : isSvg(start);
}

/** Whether the root element is an SVG: `<svg` may also stand in a comment, or in an HTML page. */
function isSvg(xml: string): boolean {
  const prolog =
    /\s+|<\?[^]*?\?>|<!--[^]*?-->|<!DOCTYPE\s+(?:[\w.-]+:)?svg(?=[\s[>])[^[>]*(?:\[[^]*?\]\s*)?>/iy;
  let rootAt = 0;
  while (prolog.test(xml)) rootAt = prolog.lastIndex;
  const root = /<(?:[\w.-]+:)?svg[\s/>]/iy;
  root.lastIndex = rootAt;
  return root.test(xml);
}
