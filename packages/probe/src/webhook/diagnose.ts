import {
  isWebhookVerificationError,
  signWebhook,
  verifyWebhook,
  type VerificationFailure,
} from '@qr-service/core';
import { duration, LIMITS, SERVICE_HEADERS, showText } from '@qr-service/core/connector';
import { fails, unknown, works, type Outcome } from '../findings/Finding.ts';
import { bodyVariations } from './bodyVariations.ts';
import { contentLength, valuesOf } from './capture.ts';
import type { Delivery } from './Receiver.ts';
import { findScheme } from './scheme.ts';

/** A delivery, and what to check it with. */
export interface DiagnosisInput {
  delivery: Delivery;
  /** The subscription's signing secret. */
  secret: string;
  /** The clock, in milliseconds since the epoch. */
  now: () => number;
  /** Whether it has just arrived, so that its age matters. */
  isLive: boolean;
}

/** One check of a delivery. */
interface Step extends Outcome {
  title: string;
}

/** Whether the connectors accept a delivery, and why not. */
export interface Diagnosis {
  steps: readonly Step[];
  /** Type of the event of a delivery that is accepted. */
  event?: string;
}

/** Longer than any clock is wrong, so that the age doesn't matter. */
const ANY_AGE = 1e12;

/** Checks a delivery with the core's verifier. If it is rejected, explains why, as far as that can be known. */
export function diagnose(input: DiagnosisInput): Diagnosis {
  const { delivery } = input;
  const steps: Step[] = [];
  const add = (title: string, outcome: Outcome) => steps.push({ title, ...outcome });
  const header = readSignature(input);
  if ('verdict' in header) {
    add('Signature header', header);
    return { steps };
  }
  add('Signature header', checkTimestamp(delivery, header.timestamp));
  add('Signature of the body', checkBody(input, header));
  if (steps.some(({ verdict }) => verdict !== 'works')) return { steps };
  const age = checkAge(input, Number(header.timestamp));
  add('Time of the signature', age);
  const event = verify(signWebhook({ body: delivery.body, secret: 'any', timestamp: 1 }), delivery.body);
  if (typeof event === 'string') {
    add('Event in the body', fails('unreadable', "It isn't JSON with an event's ID and type."));
    return { steps };
  }
  add('Event in the body', works(showText(event.type, 60)));
  return age.verdict === 'works' ? { steps, event: event.type } : { steps };
}

interface Signature {
  timestamp: string;
  /** In lower case. */
  signatures: readonly string[];
}

/** Reads the signature header, or says why the connectors can't. */
function readSignature({ delivery, secret }: DiagnosisInput): Signature | Outcome {
  const [header, other] = new Set(valuesOf(delivery, SERVICE_HEADERS.signature));
  if (other !== undefined)
    return fails('sent twice', `There are two different ${SERVICE_HEADERS.signature} headers.`);
  if (header !== undefined && verify(header, new Uint8Array()) !== 'malformed_header') {
    const parts = header.split(',').map((part) => part.trim().split('='));
    const all = (name: string) => parts.flatMap(([key, value = '']) => (key === name ? [value] : []));
    return { timestamp: all('t')[0] ?? '', signatures: all('v1').map((value) => value.toLowerCase()) };
  }
  const scheme = findScheme(delivery, secret);
  if (scheme !== undefined) return fails('other scheme', scheme);
  if (header !== undefined)
    return fails(
      'unreadable',
      `${SERVICE_HEADERS.signature} isn't in the form t=<seconds>,v1=<64 hex digits>. ${problemOfHeader(header)}`,
    );
  if (valuesOf(delivery, SERVICE_HEADERS.signatureV0).length > 0)
    return fails(
      'only V0',
      `There is only ${SERVICE_HEADERS.signatureV0}, which is deprecated and doesn't prevent replays: the connectors reject it. The service must send ${SERVICE_HEADERS.signature}.`,
    );
  const present = delivery.headers.map(([name]) => showText(name, 60));
  const [prefix] = present.flatMap((name) => /^(?:http-)?x-(.+)-signature(?:-v0)?$/i.exec(name)?.[1] ?? []);
  if (prefix !== undefined)
    return fails(
      'other prefix',
      `Its headers start with X-${prefix}-. Only versions of the n8n node and the Zapier app that are built for ${prefix} accept it.`,
    );
  return fails(
    'missing',
    `There is no ${SERVICE_HEADERS.signature} header. A proxy or the tool that captured it may have removed it. Headers found: ${present.join(', ') || 'none'}.`,
  );
}

function problemOfHeader(header: string): string {
  const valueOf = (name: string) => new RegExp(`(?:^|,) *${name}=([^,]*)`).exec(header)?.[1];
  const time = valueOf('t');
  const signature = valueOf('v1');
  if (time === undefined && signature === undefined) return 'It has neither t= nor v1=.';
  if (time === undefined) return 'It has no t=.';
  if (/^\d{13}$/.test(time)) return 'Its t= is in milliseconds.';
  if (!/^[1-9]\d{0,11}$/.test(time)) return "Its t= isn't a whole number of seconds.";
  if (signature === undefined) return 'It has no v1=.';
  return `Its v1= must be 64 hex digits in one case, but has ${signature.length} characters.`;
}

/** Compares the timestamp header with the signed time: only that one is signed. */
function checkTimestamp(delivery: Delivery, signed: string): Outcome {
  const other = valuesOf(delivery, SERVICE_HEADERS.timestamp).find((value) => value !== signed);
  if (other === undefined) return works(SERVICE_HEADERS.signature);
  const explanation = `${SERVICE_HEADERS.timestamp} is ${showText(other, 40)}, but t= in ${SERVICE_HEADERS.signature} is ${signed}. The connectors reject a delivery whose two times differ.`;
  return fails('times differ', explanation);
}

/** Whether the body is what was signed, or how it was changed in transit. */
function checkBody(input: DiagnosisInput, { timestamp, signatures }: Signature): Outcome {
  const { delivery, secret } = input;
  const { body, isRebuilt = false } = delivery;
  const matches = (one: Uint8Array, key = secret) => {
    const expected = signWebhook({ body: one, secret: key, timestamp: Number(timestamp) });
    return signatures.some((signature) => expected.endsWith(`=${signature}`));
  };
  if (matches(body)) return works('valid');
  const other = secretVariations(secret).find(({ key }) => matches(body, key));
  if (other !== undefined) return fails('wrong secret', other.change);
  const signed = bodyVariations(body).find((variation) => matches(variation.body));
  if (isRebuilt) {
    const fact =
      signed === undefined
        ? 'Either the signing secret is wrong, or the body was serialized differently.'
        : 'The secret and the values are correct.';
    const explanation = `The file contains the body as parsed JSON, so its original bytes are unknown. ${fact} Capture the delivery with its body as text.`;
    return unknown(explanation, signed === undefined ? 'no match' : 'right values');
  }
  if (signed !== undefined)
    return fails('changed body', `The secret is correct, but the body was changed. ${signed.change}`);
  const length = contentLength(delivery) ?? 0;
  if (length > body.length)
    return fails(
      'truncated body',
      `The body is incomplete: Content-Length is ${length}, but there are ${body.length} bytes.`,
    );
  const scheme = findScheme(delivery, secret);
  if (scheme !== undefined) return fails('other scheme', scheme);
  return fails(
    'no match',
    "Either the secret or the body is wrong; the signature can't show which. Check that the secret belongs to this delivery's subscription: each subscription has its own.",
  );
}

/** The secret without what is easily copied with it. */
function secretVariations(secret: string): { key: string; change: string }[] {
  const trimmed = secret.trim();
  const bare = trimmed.replaceAll(/^["'`]|["'`]$/g, '');
  return [
    { key: trimmed, change: 'The secret has spaces or a line break around it.' },
    { key: bare, change: 'The secret has quotes around it.' },
  ].filter(({ key }) => key !== secret && key !== '');
}

function checkAge({ now, isLive }: DiagnosisInput, timestamp: number): Outcome {
  const seconds = Math.round(now() / 1000 - timestamp);
  const tolerance = LIMITS.signatureToleranceSeconds;
  const value = `${duration(Math.abs(seconds) * 1000)} ${seconds < 0 ? 'ahead' : 'ago'}`;
  if (!isLive || Math.abs(seconds) <= tolerance) return works(value);
  return fails(
    value,
    `It was signed more than ${tolerance} s from this machine's clock, so the connectors reject it. Check this machine's clock; if it's right, the service's clock is wrong.`,
  );
}

/** The event, as the core's verifier reads it from a body with a signature header, or why it rejects it. */
function verify(header: string, body: Uint8Array): { type: string } | VerificationFailure {
  try {
    const headers = { [SERVICE_HEADERS.signature]: header };
    const age = { toleranceSeconds: ANY_AGE, now: () => 0 };
    return verifyWebhook({ rawBody: body, headers, secret: 'any', ...age }).event;
  } catch (error) {
    if (!isWebhookVerificationError(error)) throw error;
    return error.code;
  }
}
