import { Buffer } from 'node:buffer';
import { signWebhook } from '@qr-service/core';
import type { HeaderNames } from '@qr-service/core/connector';
import type { Finding } from '../findings/Finding.ts';
import { describeDifference } from './bodyDifference.ts';
import { bodyVariations } from './bodyVariations.ts';
import { contentLength, valuesOf } from './Delivery.ts';
import { matchesV0 } from './diagnoseHeader.ts';
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

  const changed = changedHeader(input, names, header);
  if (changed !== undefined)
    return broken('changed header', `The secret and the body are right, but ${changed}`);

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
  const isV0Valid = matchesV0(input, names);
  if (isV0Valid === true)
    return broken(
      'changed header',
      `The secret and the body are right: they match ${names.signatureV0}. So t= or v1= in ${names.signature} was changed, or v1= was made with another secret.`,
    );
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
  return broken('mismatch', undecided(body, isV0Valid), body, false);
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

/** Most hex digits of a signature that may be wrong. Two signatures that aren't related share 4 of 64. */
const MOST_WRONG = 8;

/** What was changed in the header, if it is only the time or few digits; undefined otherwise. */
function changedHeader(
  { delivery, secret }: DiagnosisInput,
  names: HeaderNames,
  header: string,
): string | undefined {
  const { body } = delivery;
  const { timestamp, signatures } = partsOf(header);
  const [time = ''] = valuesOf(delivery, names.timestamp).map((value) => value.trim());
  if (/^[1-9]\d{0,11}$/.test(time) && matcher(time, signatures, secret)(body))
    return `t= in ${names.signature} was changed: the time in ${names.timestamp} was signed.`;
  const [, expected = ''] = signWebhook({ body, secret, timestamp: Number(timestamp) }).split('v1=');
  for (const signature of signatures) {
    const wrong = Array.from(expected).flatMap((digit, at) => (digit === signature[at] ? [] : [at]));
    if (wrong.length <= MOST_WRONG)
      return `${names.signature} was changed: v1= has ${wrong.length === 1 ? 'a wrong digit' : `${wrong.length} wrong digits`}, first at position ${(wrong[0] ?? 0) + 1}.`;
  }
  for (let at = 0; at < timestamp.length; at++)
    for (let digit = 0; digit <= 9; digit++) {
      const signed = timestamp.slice(0, at) + String(digit) + timestamp.slice(at + 1);
      if (!signed.startsWith('0') && matcher(signed, signatures, secret)(body))
        return `${names.signature} was changed: t= has a wrong digit at position ${at + 1}: ${signed} was signed.`;
    }
  return undefined;
}

function undecided(body: Uint8Array, isV0Valid: boolean | undefined): string {
  const lost = Buffer.from(body).indexOf('\uFFFD');
  const hint =
    lost === -1
      ? ''
      : ` At byte ${lost}, there is the replacement character U+FFFD: the text was read in a wrong charset, and its bytes are lost.`;
  const old = isV0Valid === false ? " The deprecated V0 signature doesn't match, either." : '';
  return `The secret, body or header is wrong; the signature can't show which.${old}${hint} Check that the secret is the one of this delivery's subscription: each new subscription has a new one.`;
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
