import { headerNames } from '../contract/headers.ts';
import type { WireHeaders } from '../wire/headers.ts';
import { WebhookVerificationError } from './WebhookVerificationError.ts';

/** The headers of a delivery that are read, each undefined where it is missing. */
export interface DeliveryHeaders {
  timestamp: string | undefined;
  signature: string | undefined;
  signatureV0: string | undefined;
  delivery: string | undefined;
}

/**
 * Reads a delivery's headers in one pass: own keys only, any case, with or without the `Http-` that Zapier
 * puts in front. An array counts only with one entry; two spellings that disagree are refused. The event
 * header is not read, as it is not signed.
 * @throws WebhookVerificationError `malformed_header`
 */
export function readDeliveryHeaders(headers: WireHeaders, headerPrefix: string | undefined): DeliveryHeaders {
  const names = namesFor(headerPrefix);
  let timestamp: string | undefined;
  let signature: string | undefined;
  let signatureV0: string | undefined;
  let delivery: string | undefined;
  for (const key of Object.keys(headers)) {
    let name = key.toLowerCase();
    if (name.startsWith('http-')) name = name.slice('http-'.length);
    if (name === names.timestamp) timestamp = add(timestamp, headers[key], 'timestamp');
    else if (name === names.signature) signature = add(signature, headers[key], 'signature');
    else if (name === names.signatureV0) signatureV0 = add(signatureV0, headers[key], 'V0 signature');
    else if (name === names.delivery) delivery = add(delivery, headers[key], 'delivery id');
  }
  return { timestamp, signature, signatureV0, delivery };
}

/** The one value of a header after another spelling of it was found; undefined counts as missing. */
function add(known: string | undefined, value: unknown, what: string): string | undefined {
  if (value === undefined) return known;
  const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (typeof single !== 'string') throw malformed(what, 'no single value');
  if (known !== undefined && known !== single) throw malformed(what, 'two values');
  return single;
}

function malformed(what: string, has: string): WebhookVerificationError {
  return new WebhookVerificationError('malformed_header', `The delivery's ${what} header has ${has}.`);
}

/** Of the header word used last: a receiver uses one, and making the names anew costs more than reading with them. */
let latest: { headerPrefix: string | undefined; names: DeliveryHeaders } | undefined;

function namesFor(headerPrefix: string | undefined): DeliveryHeaders {
  if (latest === undefined || latest.headerPrefix !== headerPrefix) {
    const { timestamp, signature, signatureV0, delivery } = headerNames(headerPrefix);
    const names = {
      timestamp: timestamp.toLowerCase(),
      signature: signature.toLowerCase(),
      signatureV0: signatureV0.toLowerCase(),
      delivery: delivery.toLowerCase(),
    };
    latest = { headerPrefix, names };
  }
  return latest.names;
}
