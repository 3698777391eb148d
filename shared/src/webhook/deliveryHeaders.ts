import { headerNames } from '../contract/headers.ts';
import type { WireHeaders } from '../wire/headers.ts';
import { WebhookVerificationError } from '../errors/WebhookVerificationError.ts';

/** The headers that verification reads; undefined if missing. */
export interface DeliveryHeaders {
  timestamp: string | undefined;
  signature: string | undefined;
  signatureV0: string | undefined;
  delivery: string | undefined;
}

/**
 * Request headers: a fetch `Headers` object, a `Map`, or a plain object. Names may be in any case; a repeated header may
 * be an array.
 */
export type RequestHeaders = WireHeaders | Iterable<readonly [name: string, value: string | string[]]>;

const WORDS = {
  timestamp: 'timestamp',
  signature: 'signature',
  signatureV0: 'V0 signature',
  delivery: 'delivery ID',
} as const satisfies Record<keyof DeliveryHeaders, string>;
const FIELDS = Object.keys(WORDS) as (keyof DeliveryHeaders)[];

/**
 * Reads a delivery's headers in one pass: own keys only, in any case, with or without the `Http-` prefix that Zapier
 * adds. An array must have exactly one entry, and two spellings of a header must agree. The event header isn't read, as
 * it isn't signed.
 * @throws WebhookVerificationError `malformed_header`
 */
export function readDeliveryHeaders(
  headers: RequestHeaders,
  headerPrefix: string | undefined,
): DeliveryHeaders {
  const names = namesFor(headerPrefix);
  const found: DeliveryHeaders = {
    timestamp: undefined,
    signature: undefined,
    signatureV0: undefined,
    delivery: undefined,
  };
  if (isIterable(headers)) {
    for (const [key, value] of headers) {
      const field = fieldOf(key, names);
      if (field !== undefined) found[field] = add(found[field], value, WORDS[field]);
    }
    return found;
  }
  for (const key of Object.keys(headers)) {
    const field = fieldOf(key, names);
    if (field !== undefined) found[field] = add(found[field], headers[key], WORDS[field]);
  }
  return found;
}

/** Checks for a symbol, as a sender can use any string as a header name. */
function isIterable(headers: RequestHeaders): headers is Extract<RequestHeaders, Iterable<unknown>> {
  return typeof (headers as Partial<Iterable<unknown>>)[Symbol.iterator] === 'function';
}

function fieldOf(key: unknown, names: readonly string[]): keyof DeliveryHeaders | undefined {
  if (typeof key !== 'string') return undefined;
  let name = key.toLowerCase();
  if (name.startsWith('http-')) name = name.slice('http-'.length);
  return FIELDS[names.indexOf(name)];
}

/** Merges a header with its other spellings. Undefined counts as missing. */
function add(known: string | undefined, value: unknown, what: string): string | undefined {
  if (value === undefined) return known;
  const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (typeof single !== 'string') throw malformed(what, "doesn't have a single value");
  if (known !== undefined && known !== single) throw malformed(what, 'has two different values');
  return single;
}

function malformed(what: string, problem: string): WebhookVerificationError {
  return new WebhookVerificationError('malformed_header', `The delivery's ${what} header ${problem}.`);
}

/**
 * Header names for the last prefix used, in the order of `FIELDS`. A receiver has only one, and building the names takes
 * longer than reading the headers.
 */
let latest: { headerPrefix: string | undefined; names: readonly string[] } | undefined;

function namesFor(headerPrefix: string | undefined): readonly string[] {
  if (latest === undefined || latest.headerPrefix !== headerPrefix) {
    const names = headerNames(headerPrefix);
    latest = { headerPrefix, names: FIELDS.map((field) => names[field].toLowerCase()) };
  }
  return latest.names;
}
