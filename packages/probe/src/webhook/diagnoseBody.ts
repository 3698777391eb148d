import { Buffer } from 'node:buffer';
import type { HeaderNames } from '@qr-service/core/connector';
import type { Finding } from '../findings/Finding.ts';
import { describeDifference } from './bodyDifference.ts';
import { bodyVariations } from './bodyVariations.ts';
import { contentLength, valuesOf } from './Delivery.ts';
import { finding, matcher, partsOf, type DiagnosisInput } from './judge.ts';
import { findScheme } from './schemes.ts';
import { findSingleByte } from './singleByte.ts';

const TITLE = 'Signature of the body';

interface FoundBody {
  /** Whether the secret is known to be right. */
  isSigned: boolean;
  /** The body that was signed, or the received one if that isn't known. */
  signed: Uint8Array;
  findings: Finding[];
}

/** Finds the body that was signed, by undoing what proxies and tools are known to do. */
export function findBody(input: DiagnosisInput, names: HeaderNames, header: string): FoundBody {
  const { delivery, secret } = input;
  const { body } = delivery;
  const { timestamp, signatures } = partsOf(header);
  const matches = (one: Uint8Array, key = secret) => matcher(timestamp, signatures, key)(one);
  const broken = (value: string, explanation: string, signed = body, isSigned = true): FoundBody => ({
    isSigned,
    signed,
    findings: [finding('signature', TITLE, 'fails', { value, explanation })],
  });
  if (matches(body)) {
    if (delivery.rebuilt !== undefined) return ofValues(body, true);
    const value = 'valid';
    return {
      isSigned: true,
      signed: body,
      findings: [finding('signature', TITLE, 'works', { value })],
    };
  }

  const [time = ''] = valuesOf(delivery, names.timestamp).map((value) => value.trim());
  if (/^[1-9]\d{0,11}$/.test(time) && matcher(time, signatures, secret)(body))
    return broken(
      'changed header',
      `The secret and the body are right, but t= in ${names.signature} was changed: the time in ${names.timestamp} was signed.`,
    );

  const length = contentLength(delivery);
  const secrets = [...secretVariations(secret)];
  const otherSecret = secrets.find(({ key }) => matches(body, key));
  if (otherSecret !== undefined) return broken('wrong secret', otherSecret.change ?? '');
  for (const { body: signed, change } of bodyVariations(body, length)) {
    const found = secrets.find(({ key }) => matches(signed, key));
    if (found === undefined) continue;
    if (delivery.rebuilt !== undefined && found.change === undefined) return ofValues(signed, true);
    const where = describeDifference(body, signed);
    const explanation = [found.change, change, where].filter((part) => part !== undefined).join(' ');
    return broken('changed body', explanation, signed);
  }
  const scheme = findScheme(input, names, header);
  if (scheme !== undefined) return broken('other scheme', scheme);
  // What follows is about bytes.
  if (delivery.rebuilt !== undefined) return ofValues(body, false);
  if (length !== undefined && length > body.length) {
    const explanation = `The body is incomplete: Content-Length is ${length}, but there are ${body.length} bytes. The rest is missing, so its signature can't match.`;
    return broken('truncated body', explanation, body, false);
  }
  const signed = findSingleByte(body, (one) => matches(one));
  if (signed !== undefined) {
    const where = describeDifference(body, signed);
    return broken('changed body', `A single byte of the body was changed. ${where}`, signed);
  }
  return broken('mismatch', undecided(body), body, false);
}

const RAW = 'To see whether the bytes were changed, capture the delivery with its body as text.';

/** The file has values: either one way to write them was signed, or none that is known. */
const ofValues = (signed: Uint8Array, isSigned: boolean): FoundBody => ({
  isSigned,
  signed,
  findings: [
    finding('signature', TITLE, 'unknown', {
      value: isSigned ? 'right values' : 'no match',
      explanation: `${
        isSigned
          ? 'The secret is right, and so are the values in the body.'
          : 'No known way to write these values matches. Either the signing secret is wrong, or the body was written in another way.'
      } ${RAW}`,
    }),
  ],
});

function undecided(body: Uint8Array): string {
  const lost = Buffer.from(body).indexOf('\uFFFD');
  const hint =
    lost === -1
      ? ''
      : ` At byte ${lost}, there is the replacement character U+FFFD: the text was read in a wrong charset, and its bytes are lost.`;
  return `The secret, body or header is wrong; the signature can't show which.${hint} Check that the secret is the one of this delivery's subscription: each new subscription has a new one.`;
}

/** The secret as it was given, and without what is easily copied with it. */
function* secretVariations(secret: string): Generator<{ key: string; change?: string }> {
  yield { key: secret };
  const trimmed = secret.trim();
  if (trimmed !== secret) yield { key: trimmed, change: 'The secret has spaces or a line break around it.' };
  const bare = trimmed.replace(/^["'`]/, '').replace(/["'`]$/, '');
  if (bare !== trimmed) yield { key: bare, change: 'The secret has quotes around it.' };
  yield { key: `${secret}\n`, change: 'The secret that the service uses ends with a line break.' };
}
