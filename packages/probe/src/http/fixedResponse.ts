import { readHeader, readTime } from '@qr-service/core/connector';
import type { FixedResponse } from '@qr-service/core/shape';
import type { Exchange } from './Exchange.ts';
import { isFieldName } from './redact.ts';

const MAX_ITEMS = 3;
const MAX_KEYS = 50;
const MAX_LEVELS = 8;

/**
 * A response that the emulator can repeat. Texts and numbers are replaced by others of the same kind, so that it contains
 * nothing of the user's.
 * @param path with `*` for what is different in each request
 */
export function toFixedResponse(exchange: Exchange, path: string): FixedResponse {
  const { request, status, headers, json, text } = exchange;
  const type = readHeader(headers, 'Content-Type');
  const isPlain = type !== undefined && /^[\w.+-]+\/[\w.+-]+(; *charset=[\w-]+)?$/i.test(type);
  return {
    method: request.method,
    path,
    status,
    ...(isPlain && { headers: { 'content-type': type } }),
    body: json === undefined ? standIn(text) : JSON.stringify(neutral(json, MAX_LEVELS)),
  };
}

/** In place of a body that isn't JSON. */
function standIn(text: string): string {
  if (text.trim() === '') return '';
  if (/^\s*</.test(text)) return '<!doctype html><title>Page</title>';
  return /^\s*[[{]/.test(text) ? '{"text": "te' : 'text';
}

function neutral(value: unknown, levels: number): unknown {
  if (typeof value === 'string') return neutralText(value);
  if (typeof value === 'number')
    return readTime(value) === undefined ? 1 : value > 1e11 ? 1767225600000 : 1767225600;
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return {};
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => neutral(item, levels - 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_KEYS)
      // A name may be a value, such as an ID.
      .map(([name, inner], index) => [isFieldName(name) ? name : `key${index}`, neutral(inner, levels - 1)]),
  );
}

function neutralText(text: string): string {
  if (text === '') return text;
  if (readTime(text) !== undefined) return '2026-01-01T00:00:00.000Z';
  return URL.canParse(text) ? 'https://example.com/' : 'text';
}
