import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import {
  signWebhook,
  verifyWebhook,
  isWebhookVerificationError,
  type VerificationFailure,
} from '@qr-service/core';
import { duration, headerNames, LIMITS, showText, type HeaderNames } from '@qr-service/core/connector';
import type { Finding } from '../findings/Finding.ts';
import { describeDifference } from './bodyDifference.ts';
import { bodyVariations } from './bodyVariations.ts';
import { contentLength, valuesOf, type Delivery } from './Delivery.ts';
import { findScheme } from './schemes.ts';
import { describeSignatureHeader, signatureRepairs } from './signatureHeader.ts';
import { findSingleByte } from './singleByte.ts';

/** A delivery, and what to check it with. */
export interface DiagnosisInput {
  delivery: Delivery;
  /** The subscription's signing secret. */
  secret: string;
  /** Prefix of the service's headers. */
  headerPrefix: string;
  /** The clock, in milliseconds since the epoch. */
  now: () => number;
  /** Whether it has just arrived, so that its age counts. */
  isLive: boolean;
}

/** Longer than any clock is wrong, so that the age of a captured delivery doesn't matter. */
const ANY_AGE = 1e12;
/** Header names that are listed if the signature is missing. */
const MOST_NAMES = 12;

/**
 * Checks a delivery with the core's verifier. If it fails, finds the header or byte that breaks it, by undoing what
 * proxies and tools are known to do until the verifier accepts it.
 */
export function diagnoseDelivery(input: DiagnosisInput): Finding[] {
  const { delivery, headerPrefix } = input;
  const prefix = findPrefix(delivery, headerPrefix);
  const findings = [...describeCapture(delivery), ...prefix.findings];
  const names = headerNames(prefix.value);
  const signature = findSignature(input, names);
  findings.push(...signature.findings);
  if (signature.header === undefined) return [...findings, ...checkV0(input, names)];
  const header = signature.header;
  const { timestamp } = partsOf(header);
  findings.push(...checkTimestamp(input, names, timestamp));
  const body = findBody(input, names, header);
  findings.push(...body.findings);
  if (body.isSigned) findings.push(checkAge(input, Number(timestamp)));
  return [...findings, ...checkEvent(input, names, body.signed)];
}

function describeCapture({ rebuilt, others = 0 }: Delivery): Finding[] {
  const explanation = `The file has ${others} more ${others === 1 ? 'delivery' : 'deliveries'}. Only the first is checked.`;
  return [
    ...(others === 0
      ? []
      : [finding('capture', 'Delivery in the file', 'works', { value: 'the first', explanation })]),
    ...(rebuilt === undefined
      ? []
      : [finding('body', 'Body in the file', 'unknown', { explanation: rebuilt })]),
  ];
}

type Details = Omit<Finding, 'id' | 'area' | 'title' | 'verdict'>;

const finding = (id: string, title: string, verdict: Finding['verdict'], details: Details = {}): Finding => ({
  id: `webhooks.${id}`,
  area: 'Webhooks',
  title,
  verdict,
  ...details,
});

/** How the core's verifier judges a body with only a signature header; undefined if it accepts it. */
function judge(header: string, body: Uint8Array, secret: string): VerificationFailure | undefined {
  try {
    const headers = { [headerNames().signature]: header };
    verifyWebhook({ rawBody: body, headers, secret, toleranceSeconds: ANY_AGE, now: () => 0 });
    return undefined;
  } catch (error) {
    if (!isWebhookVerificationError(error)) throw error;
    return error.reason;
  }
}

const isReadable = (header: string) => judge(header, new Uint8Array(), 'any') !== 'malformed_header';

const isMatch = (failure: VerificationFailure | undefined) =>
  failure === undefined || failure === 'invalid_body';

/** Reads a header that the verifier can read. */
function partsOf(header: string): { timestamp: string; signatures: string[] } {
  const parts = header.split(',').map((part) => part.replace(/^ +/, ''));
  const timestamp = parts.find((part) => part.startsWith('t='))?.slice(2) ?? '';
  const signatures = parts
    .filter((part) => part.startsWith('v1='))
    .map((part) => part.slice(3).toLowerCase());
  return { timestamp, signatures };
}

/** Whether a body was signed with a secret, for any of the signatures. */
const matcher = (timestamp: string, signatures: readonly string[], secret: string) => (body: Uint8Array) =>
  signatures.includes(
    signWebhook({ body, secret, timestamp: Number(timestamp) }).slice(`t=${timestamp},v1=`.length),
  );

/** The prefix of the delivery's own headers, which may not be the one in the settings. */
function findPrefix(delivery: Delivery, expected: string): { value: string; findings: Finding[] } {
  const found = new Map<string, string>();
  for (const [name] of delivery.headers) {
    const [, prefix] = /^(?:http-)?x-(.{1,60})-signature(?:-v0)?$/i.exec(name) ?? [];
    if (prefix !== undefined && !found.has(prefix.toLowerCase())) found.set(prefix.toLowerCase(), prefix);
  }
  if (found.size === 0 || found.has(expected.toLowerCase())) return { value: expected, findings: [] };
  const [value = expected] = found.values();
  const shown = showText(value);
  const explanation = `Its headers begin with X-${shown}-, not X-${expected}-. Set Header Prefix to ${shown} in n8n and Zapier, and --header-prefix ${shown} here.`;
  return {
    value,
    findings: [finding('prefix', 'Prefix of the headers', 'fails', { value: shown, explanation })],
  };
}

const TITLE = 'Signature header';

function findSignature(
  { delivery, secret }: DiagnosisInput,
  names: HeaderNames,
): { header?: string; findings: Finding[] } {
  const values = valuesOf(delivery, names.signature);
  if (values.length === 0) return renamedSignature(delivery, names);
  // As Node.js and most proxies join them.
  const joined = values.join(', ');
  if (isReadable(joined)) return { header: joined, findings: [] };
  const readable = [...signatureRepairs(values)].filter(({ header }) => isReadable(header));
  // One that matches, as a header that was sent twice may have two different values.
  const repair = readable.find(({ header }) => isMatch(judge(header, delivery.body, secret))) ?? readable[0];
  if (repair !== undefined) {
    const at = values.length > 1 ? '' : ` ${headerDifference(joined, repair.header)}`;
    const explanation = `${names.signature} can't be read. ${repair.change}${at} The rest of this report uses it as it should be.`;
    const found = finding('signature-header', TITLE, 'fails', { value: 'changed', explanation });
    return { header: repair.header, findings: [found] };
  }
  const explanation = `${names.signature} isn't in the form t=<seconds>,v1=<64 hex digits>. ${describeSignatureHeader(values[0] ?? '')}`;
  return { findings: [finding('signature-header', TITLE, 'fails', { value: 'unreadable', explanation })] };
}

/** Where a header departs from its readable form, without its digits, as they aren't needed. */
function headerDifference(received: string, repaired: string): string {
  let at = 0;
  while (at < received.length && received[at] === repaired[at]) at++;
  const there = received[at] === undefined ? 'nothing' : JSON.stringify(received[at]);
  return `At character ${at + 1}, there is ${there}.`;
}

/** A gateway or a framework may have spelled the header as a variable: `HTTP_X_SERVICE_SIGNATURE`. */
function renamedSignature(delivery: Delivery, names: HeaderNames): { header?: string; findings: Finding[] } {
  const wanted = names.signature.toLowerCase();
  const [name = '', header] =
    delivery.headers.find(
      ([key]) =>
        key
          .toLowerCase()
          .replaceAll('_', '-')
          .replace(/^http-/, '') === wanted,
    ) ?? [];
  if (header === undefined || !isReadable(header)) return { findings: [withoutSignature(delivery, names)] };
  const explanation = `${names.signature} is called ${showText(name, 80)}. The connector doesn't find it by that name. If the tool that captured the delivery spells names so, nothing is wrong with the delivery itself. The rest of this report uses it as it should be.`;
  return {
    header,
    findings: [finding('signature-header', TITLE, 'fails', { value: 'renamed', explanation })],
  };
}

function withoutSignature(delivery: Delivery, names: HeaderNames): Finding {
  const isOldOnly = valuesOf(delivery, names.signatureV0).length > 0;
  const present = delivery.headers.map(([name]) => showText(name, 40)).slice(0, MOST_NAMES);
  const explanation = isOldOnly
    ? `There is only ${names.signatureV0}, which is deprecated and doesn't prevent replays: the connector refuses it.`
    : `There is no ${names.signature} header. A proxy or the tool that captured it may have removed it. Headers found: ${present.join(', ') || 'none'}.`;
  return finding('signature-header', TITLE, 'fails', {
    value: isOldOnly ? 'only V0' : 'missing',
    explanation,
  });
}

/** The deprecated signature is over the body alone: if it matches, the secret and the body are right. */
function matchesV0({ delivery, secret }: DiagnosisInput, names: HeaderNames): boolean | undefined {
  const [header] = valuesOf(delivery, names.signatureV0);
  const signature = /[\da-f]{64}/i.exec(header ?? '')?.[0].toLowerCase();
  if (signature === undefined) return undefined;
  return createHmac('sha256', secret).update(delivery.body).digest('hex') === signature;
}

function checkV0(input: DiagnosisInput, names: HeaderNames): Finding[] {
  const matches = matchesV0(input, names);
  if (matches === undefined) return [];
  const explanation = matches
    ? `The secret and the body are right: they match ${names.signatureV0}.`
    : `The body and the secret don't match ${names.signatureV0}, either.`;
  return [finding('v0', 'Deprecated signature', matches ? 'works' : 'fails', { explanation })];
}

function checkTimestamp({ delivery }: DiagnosisInput, names: HeaderNames, signed: string): Finding[] {
  const title = 'Timestamp header';
  const values = valuesOf(delivery, names.timestamp).map((value) => value.trim());
  const header = values.find((value) => value !== signed) ?? values[0];
  if (values.length > 1 && header === signed) {
    const explanation = `${names.timestamp} was sent ${values.length} times. The connector gets them as one text, which isn't the signed time, so it refuses the delivery.`;
    return [finding('timestamp-header', title, 'fails', { value: 'sent twice', explanation })];
  }
  if (header === undefined) {
    const explanation = `There is no ${names.timestamp} header. The connector reads the time from ${names.signature}.`;
    return [finding('timestamp-header', title, 'differs', { value: 'missing', explanation })];
  }
  if (header === signed) return [];
  const shown = showText(header, 40);
  const explanation = `${names.timestamp} is ${shown}, but t= in ${names.signature} is ${signed}: ${apart(header, signed)}. Only t= is signed. The connector refuses a delivery whose two times differ.`;
  return [finding('timestamp-header', title, 'fails', { value: 'differs from t=', explanation })];
}

function apart(header: string, signed: string): string {
  const seconds = Number(header) - Number(signed);
  if (header.trim() === '' || !Number.isFinite(seconds)) return "it isn't in seconds";
  if (Math.floor(Number(header) / 1000) === Number(signed)) return 'it is in milliseconds';
  return `it is ${duration(Math.abs(seconds) * 1000)} ${seconds > 0 ? 'later' : 'earlier'}`;
}

const SIGNATURE_TITLE = 'Signature of the body';

interface FoundBody {
  /** Whether the secret is known to be right. */
  isSigned: boolean;
  /** The body that was signed, or the received one if that isn't known. */
  signed: Uint8Array;
  findings: Finding[];
}

function findBody(input: DiagnosisInput, names: HeaderNames, header: string): FoundBody {
  const { delivery, secret } = input;
  const { body } = delivery;
  const { timestamp, signatures } = partsOf(header);
  const matches = (one: Uint8Array, key = secret) => matcher(timestamp, signatures, key)(one);
  const broken = (value: string, explanation: string, signed = body, isSigned = true): FoundBody => ({
    isSigned,
    signed,
    findings: [finding('signature', SIGNATURE_TITLE, 'fails', { value, explanation })],
  });
  if (matches(body)) {
    if (delivery.rebuilt !== undefined) return ofRightValues(body);
    const value = 'valid';
    return {
      isSigned: true,
      signed: body,
      findings: [finding('signature', SIGNATURE_TITLE, 'works', { value })],
    };
  }

  if (isTimeSigned(input, names, signatures)) return broken('changed header', changedTime(names));
  const digit = changedDigit(body, secret, timestamp, signatures);
  if (digit !== undefined)
    return broken(
      'changed header',
      `The secret and the body are right, but ${names.signature} was changed: ${digit}`,
    );

  const length = contentLength(delivery);
  const secrets = [...secretVariations(secret)];
  const otherSecret = secrets.find(({ key }) => matches(body, key));
  if (otherSecret !== undefined) return broken('wrong secret', otherSecret.change ?? '');
  for (const { body: signed, change } of bodyVariations(body, length)) {
    const found = secrets.find(({ key }) => matches(signed, key));
    if (found === undefined) continue;
    if (delivery.rebuilt !== undefined && found.change === undefined) return ofRightValues(signed);
    const where = describeDifference(body, signed);
    const explanation = [found.change, change, where].filter((part) => part !== undefined).join(' ');
    return broken('changed body', explanation, signed);
  }
  const scheme = findScheme(header, {
    body,
    secret,
    timestamp,
    deliveryId: valuesOf(delivery, names.delivery)[0] ?? '',
  });
  if (scheme !== undefined)
    return broken(
      'other scheme',
      `The service signs in another way than the API text says: ${scheme}. The connector refuses such deliveries.`,
    );
  const isV0Valid = matchesV0(input, names);
  if (isV0Valid === true)
    return broken(
      'changed header',
      `The secret and the body are right: they match ${names.signatureV0}. So t= or v1= in ${names.signature} was changed, or v1= was made with another secret.`,
    );
  // What follows is about bytes.
  if (delivery.rebuilt !== undefined) return ofUnknownValues(body);
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

/** The file has values, and one way to write them was signed. */
const ofRightValues = (signed: Uint8Array): FoundBody => ({
  isSigned: true,
  signed,
  findings: [
    finding('signature', SIGNATURE_TITLE, 'unknown', {
      value: 'right values',
      explanation: `The secret is right, and so are the values in the body. ${RAW}`,
    }),
  ],
});

/** The file has values, and no known way to write them was signed. */
const ofUnknownValues = (body: Uint8Array): FoundBody => ({
  isSigned: false,
  signed: body,
  findings: [
    finding('signature', SIGNATURE_TITLE, 'unknown', {
      value: 'no match',
      explanation: `No known way to write these values matches. Either the signing secret is another one, or the body was written in another way. ${RAW}`,
    }),
  ],
});

/** Most hex digits of a signature that may be wrong. Two signatures that aren't related share 4 of 64. */
const MOST_WRONG = 8;

/** Which digit of the header was changed, if only few were; undefined otherwise. */
function changedDigit(
  body: Uint8Array,
  secret: string,
  timestamp: string,
  signatures: readonly string[],
): string | undefined {
  const [, expected = ''] = signWebhook({ body, secret, timestamp: Number(timestamp) }).split('v1=');
  for (const signature of signatures) {
    const wrong = Array.from(expected).flatMap((digit, at) => (digit === signature[at] ? [] : [at]));
    if (wrong.length <= MOST_WRONG)
      return `v1= has ${wrong.length === 1 ? 'a wrong digit' : `${wrong.length} wrong digits`}, first at position ${(wrong[0] ?? 0) + 1}.`;
  }
  for (let at = 0; at < timestamp.length; at++)
    for (let digit = 0; digit <= 9; digit++) {
      const signed = timestamp.slice(0, at) + String(digit) + timestamp.slice(at + 1);
      if (!signed.startsWith('0') && matcher(signed, signatures, secret)(body))
        return `t= has a wrong digit at position ${at + 1}: ${signed} was signed.`;
    }
  return undefined;
}

/** Whether the timestamp header was signed instead of `t=`. */
function isTimeSigned(
  { delivery, secret }: DiagnosisInput,
  names: HeaderNames,
  signatures: readonly string[],
): boolean {
  const [header = ''] = valuesOf(delivery, names.timestamp).map((value) => value.trim());
  return /^[1-9]\d{0,11}$/.test(header) && matcher(header, signatures, secret)(delivery.body);
}

const changedTime = (names: HeaderNames) =>
  `The secret and the body are right, but t= in ${names.signature} was changed: the time in ${names.timestamp} was signed.`;

function undecided(body: Uint8Array, isV0Valid: boolean | undefined): string {
  const lost = Buffer.from(body).indexOf('\uFFFD');
  const hint =
    lost === -1
      ? ''
      : ` At byte ${lost}, there is the replacement character U+FFFD: the text was read in a wrong charset, and its bytes are lost.`;
  const old = isV0Valid === false ? " The deprecated V0 signature doesn't match, either." : '';
  return `Either the signing secret is another one, or the body was changed in a way that isn't known, or the signature header was: a signature can't tell which.${old}${hint} Check that the secret is the one of this delivery's subscription: each new subscription has a new one.`;
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

function checkAge({ now, isLive }: DiagnosisInput, timestamp: number): Finding {
  const seconds = Math.round(now() / 1000 - timestamp);
  const ahead = seconds < 0;
  const value = `${duration(Math.abs(seconds) * 1000)} ${ahead ? 'ahead' : 'ago'}`;
  const tolerance = LIMITS.signatureToleranceSeconds;
  const title = 'Time of the signature';
  if (Math.abs(seconds) <= tolerance) return finding('age', title, 'works', { value });
  const explanation = isLive
    ? `It was signed more than ${tolerance} s from this machine's clock, so the connector refuses it. Set this machine's clock, or ask the service to set its own.`
    : `That doesn't matter for a captured delivery. One that arrived so ${ahead ? 'early' : 'late'} would be refused: the tolerance is ${tolerance} s.`;
  return finding('age', title, isLive ? 'fails' : 'works', { value, explanation });
}

/** Checks the event, and the headers that the connector doesn't rely on, as they aren't signed. */
function checkEvent({ delivery }: DiagnosisInput, names: HeaderNames, body: Uint8Array): Finding[] {
  const event = parseEvent(body);
  if (typeof event === 'string')
    return [finding('event', 'Event in the body', 'fails', { value: 'unreadable', explanation: event })];
  const findings = [finding('event', 'Event in the body', 'works', { value: showText(event.type, 60) })];
  const [type] = valuesOf(delivery, names.event);
  if (type === undefined || type.trim() !== event.type)
    findings.push(
      finding('event-header', 'Event header', 'differs', {
        value: type === undefined ? 'missing' : showText(type, 60),
        explanation: `${names.event} ${type === undefined ? 'is missing' : `doesn't agree with the body, which says ${showText(event.type, 60)}`}. The connector reads the event's name from the body, which is signed.`,
      }),
    );
  if ((valuesOf(delivery, names.delivery)[0] ?? '').trim() === '')
    findings.push(
      finding('delivery-header', 'Delivery header', 'differs', {
        value: 'missing',
        explanation: `${names.delivery} is missing. The connector recognizes duplicates by the event's ID in the body.`,
      }),
    );
  return findings;
}

/** The event, or why the connector can't read it. */
export function parseEvent(body: Uint8Array): { type: string } | string {
  // Any secret will do: only the body is of interest here.
  const header = signWebhook({ body, secret: 'any', timestamp: 1 });
  try {
    return verifyWebhook({
      rawBody: body,
      headers: { [headerNames().signature]: header },
      secret: 'any',
      toleranceSeconds: ANY_AGE,
      now: () => 0,
    }).event;
  } catch (error) {
    if (!isWebhookVerificationError(error)) throw error;
    return `The body isn't a valid event: ${problemOf(body)}.`;
  }
}

function problemOf(body: Uint8Array): string {
  if (body.length === 0) return 'it is empty';
  const text = Buffer.from(body).toString('utf8');
  if (!Buffer.from(text).equals(Buffer.from(body))) return "it isn't in UTF-8";
  if (text.startsWith('\uFEFF')) return 'it starts with a byte order mark';
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return "it isn't a JSON object";
    const missing = ['id', 'type'].filter(
      (name) => typeof (value as Record<string, unknown>)[name] !== 'string',
    );
    return missing.length === 0
      ? 'its ID or type is empty, or it is nested too deeply'
      : `it has no ${missing.join(' and no ')}`;
  } catch {
    return "it isn't JSON";
  }
}
