import { EVENT_TYPES, SCOPES } from '@qr-service/core';
import { readHeader, readTime } from '@qr-service/core/connector';
import type { FixedResponse } from '@qr-service/core/shape';
import { endpointOf } from './Connection.ts';
import type { Exchange } from './Exchange.ts';
import { isFieldName, isSecretName } from './redact.ts';

const MAX_ITEMS = 3;
const MAX_KEYS = 50;
const MAX_LEVELS = 8;
/** Words of the API text. */
const KNOWN_TEXTS: ReadonlySet<string> = new Set([...EVENT_TYPES, ...SCOPES]);

/**
 * A response that the emulator can repeat. Texts and numbers are replaced by others of the same kind, so that it contains
 * nothing of the user's.
 * @param query the query parameters of the requests that get it
 */
export function toFixedResponse(exchange: Exchange, query?: Readonly<Record<string, string>>): FixedResponse {
  const { request, status, headers, json, text } = exchange;
  const [method = '', path = ''] = endpointOf(request).split(' ');
  const type = readHeader(headers, 'Content-Type');
  const isPlain = type !== undefined && /^[\w.+-]+\/[\w.+-]+(; *charset=[\w-]+)?$/i.test(type);
  return {
    method,
    path,
    ...(query !== undefined && { query }),
    status,
    ...(isPlain && { headers: { 'content-type': type } }),
    body: json === undefined ? standIn(text) : JSON.stringify(neutral(json, MAX_LEVELS, status >= 400)),
  };
}

/** In place of a body that isn't JSON. */
function standIn(text: string): string {
  if (text.trim() === '') return '';
  if (/^\s*</.test(text)) return '<!doctype html><title>Page</title>';
  return /^\s*[[{]/.test(text) ? '{"text": "te' : 'text';
}

function neutral(value: unknown, levels: number, isError: boolean): unknown {
  if (typeof value === 'string') return neutralText(value);
  if (typeof value === 'number')
    return readTime(value) === undefined ? 1 : value > 1e11 ? 1767225600000 : 1767225600;
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return {};
  if (Array.isArray(value))
    return value.slice(0, MAX_ITEMS).map((item) => neutral(item, levels - 1, isError));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_KEYS)
      .map(([name, inner], index) => {
        if (name === 'id' && ['string', 'number'].includes(typeof inner)) return [name, '{id}'];
        // Two secrets stay different ones.
        if (isSecretName(name) && typeof inner === 'string') return [name, `text of ${index}`];
        // Codes of errors are the service's own words.
        if (isError && name === 'code' && typeof inner === 'string' && /^[\w.-]{1,40}$/.test(inner))
          return [name, inner];
        // A name may be a value, such as an ID.
        return [isFieldName(name) ? name : `key${index}`, neutral(inner, levels - 1, isError)];
      }),
  );
}

function neutralText(text: string): string {
  if (text === '' || KNOWN_TEXTS.has(text)) return text;
  if (readTime(text) !== undefined) return '2026-01-01T00:00:00.000Z';
  return URL.canParse(text) ? 'https://example.com/' : 'text';
}
