import { IMAGE_FORMATS, type ImageFormat } from '../contract/types.ts';
import { QrServiceError } from '../errors/QrServiceError.ts';

const MIME_TYPES: Record<ImageFormat, string> = {
  png: 'image/png',
  svg: 'image/svg+xml',
  pdf: 'application/pdf',
};

const XML_TYPES = new Set(['text/xml', 'application/xml']);
/** Content types that don't say what the bytes are. */
const GENERIC_TYPES = new Set(['', 'application/octet-stream', 'binary/octet-stream']);

/**
 * Detects the format of an image: Content-Type is trusted if the first bytes match it.
 * @throws QrServiceError `unreadable_response` if it isn't a PNG, SVG or PDF
 */
export function readImageFormat(contentType: string | undefined, bytes: Uint8Array): ImageFormat {
  const mime = mimeType(contentType);
  const format = IMAGE_FORMATS.find((candidate) => isFormat(candidate, bytes));
  if (format !== undefined && (GENERIC_TYPES.has(mime) || mimeMatches(format, mime))) return format;
  throw new QrServiceError(
    `Expected a PNG, SVG or PDF, but got ${mimeName(contentType) ?? 'no content type'} (${bytes.length} bytes).`,
    { code: 'unreadable_response' },
  );
}

/** MIME type of a format. */
export function imageMimeType(format: ImageFormat): string {
  return MIME_TYPES[format];
}

/**
 * The MIME type to show in errors. A header may contain anything, even an echo of the request, so only a well-formed
 * type is returned.
 */
export function mimeName(contentType: string | undefined): string | undefined {
  const mime = mimeType(contentType);
  return /^[\w.+-]{1,40}\/[\w.+-]{1,60}$/.test(mime) ? mime : undefined;
}

function mimeType(contentType = ''): string {
  const [type = ''] = contentType.split(';');
  return type.trim().toLowerCase();
}

function mimeMatches(format: ImageFormat, mime: string): boolean {
  return mime === MIME_TYPES[format] || (format === 'svg' && XML_TYPES.has(mime));
}

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

function isFormat(format: ImageFormat, bytes: Uint8Array): boolean {
  if (format === 'png') return PNG_SIGNATURE.every((byte, index) => bytes[index] === byte);
  const start = new TextDecoder().decode(bytes.subarray(0, 1024));
  if (format === 'pdf') return start.startsWith('%PDF-');
  return /^\s*(<\?xml|<!--|<!DOCTYPE svg|<svg)/i.test(start) && /<svg[\s>]/i.test(start);
}
