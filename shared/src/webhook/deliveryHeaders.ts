import { SERVICE_HEADERS } from '../contract/headers.ts';
import { WebhookVerificationError } from '../errors/WebhookVerificationError.ts';
import type { WireHeaders } from '../wire/headers.ts';

const FIELDS = ['timestamp', 'signature', 'signatureV0', 'delivery'] as const;
type Field = (typeof FIELDS)[number];

/** In the order of `FIELDS`. */
const NAMES = FIELDS.map((field) => SERVICE_HEADERS[field].toLowerCase());

export type DeliveryHeaders = Partial<Record<Field, string>>;

/** Request headers: a fetch `Headers` object, or a plain object. Names may be in any case. */
export type RequestHeaders = WireHeaders | Iterable<readonly [string, string | readonly string[]]>;

/** Reads headers in any case, with or without the `Http-` prefix that Zapier adds. Two spellings of one must agree. */
export function readDeliveryHeaders(headers: RequestHeaders): DeliveryHeaders {
  // By a symbol, as a sender can use any string as a header name.
  const own = Symbol.iterator in headers ? Object.fromEntries(headers) : headers;
  const found: DeliveryHeaders = {};
  for (const key of Object.keys(own)) {
    const name = key.toLowerCase();
    const field = FIELDS[NAMES.indexOf(name.startsWith('http-') ? name.slice('http-'.length) : name)];
    const value = own[key];
    if (field === undefined || value === undefined) continue;
    const single = readValue(field, value);
    if (found[field] !== undefined && found[field] !== single)
      throw malformed(field, 'has two different values');
    found[field] = single;
  }
  return found;
}

/** Some platforms split headers at their commas: for a signature, the parts are joined again, and judged as a whole. */
function readValue(field: Field, value: unknown): string {
  if (typeof value === 'string') return value;
  const isWhole = Array.isArray(value) && (field === 'signature' || value.length === 1);
  if (!isWhole || !value.every((part) => typeof part === 'string'))
    throw malformed(field, "doesn't have a single value");
  return value.join(',');
}

function malformed(field: Field, problem: string): WebhookVerificationError {
  return new WebhookVerificationError('malformed_header', `The delivery's ${field} header ${problem}.`);
}
