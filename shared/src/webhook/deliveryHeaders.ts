import { SERVICE_HEADERS } from '../contract/headers.ts';
import { WebhookVerificationError } from '../errors/WebhookVerificationError.ts';
import type { WireHeaders } from '../wire/headers.ts';

const FIELDS = ['timestamp', 'signature', 'signatureV0', 'delivery'] as const;
type Field = (typeof FIELDS)[number];

/** In the order of `FIELDS`. */
const NAMES = FIELDS.map((field) => SERVICE_HEADERS[field].toLowerCase());

/** The headers that verification reads. */
export type DeliveryHeaders = Partial<Record<Field, string>>;

type HeaderPairs = Iterable<readonly [name: string, value: string | readonly string[]]>;
/** Request headers: a fetch `Headers` object, or a plain object. Names may be in any case. */
export type RequestHeaders = WireHeaders | HeaderPairs;

/**
 * Reads a delivery's headers: own keys only, in any case, with or without the `Http-` prefix that Zapier adds. Two
 * spellings of a header must agree. The event header isn't read, as it isn't signed.
 * @throws WebhookVerificationError `malformed_header`
 */
export function readDeliveryHeaders(headers: RequestHeaders): DeliveryHeaders {
  // By a symbol, as a sender can use any string as a header name.
  const own = Symbol.iterator in headers ? grouped(headers) : headers;
  const found: DeliveryHeaders = {};
  for (const key of Object.keys(own)) {
    const lower = key.toLowerCase();
    const field = FIELDS[NAMES.indexOf(lower.startsWith('http-') ? lower.slice('http-'.length) : lower)];
    const value = own[key];
    if (field === undefined || value === undefined) continue;
    const single = readValue(field, value);
    if (found[field] !== undefined && found[field] !== single)
      throw malformed(field, 'has two different values');
    found[field] = single;
  }
  return found;
}

/** The values of each name: an iterable may have a pair for each part of a header. */
function grouped(pairs: HeaderPairs): WireHeaders {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value].flat());
  return Object.fromEntries(values);
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
