import { BRAND, headerNames, LIMITS, readHeader } from '@qr-service/core/connector';
import {
  isWebhookVerificationError,
  signWebhook,
  verifyWebhook,
  type VerificationFailure,
} from '@qr-service/core';

/** A signed message, and the secret and time to verify it with. */
export interface SignedMessage {
  headers: Readonly<Record<string, string>>;
  /** As it was sent. */
  body: string;
  /** Signing secret of the subscription. */
  secret: string;
  /** When it was sent, in milliseconds since the epoch. */
  sentAt: number;
}

/** A step of a receiver's verification, with the values it uses. */
export interface SignatureStep {
  title: string;
  ok: boolean;
  note: string;
  values: readonly (readonly [name: string, value: string])[];
}

/** The steps of a receiver's verification, and the result of the core's verifier. */
interface SignatureExplanation {
  steps: readonly SignatureStep[];
  /** Undefined for a valid signature. */
  refusal: VerificationFailure | undefined;
}

const NAMES = headerNames(BRAND.headerPrefix);
const TOLERANCE = LIMITS.signatureToleranceSeconds;

/** Explains the verification of a signature step by step (API text, "Verification rules"). */
export function explainSignature(message: SignedMessage): SignatureExplanation {
  const refusal = verificationFailure(message);
  const header = readHeader(message.headers, NAMES.signature);
  const timestamp = /(?:^|,) *t=(\d{1,12})(?:,|$)/.exec(header ?? '')?.[1];
  const readable =
    refusal !== 'missing_header' && refusal !== 'deprecated_scheme' && refusal !== 'malformed_header';
  const first: SignatureStep = {
    title: `Read ${NAMES.signature}`,
    ok: readable,
    note: readable ? 'It contains a timestamp t and a signature v1.' : HEADER_NOTES[refusal],
    values: [[NAMES.signature, header ?? '(not sent)']],
  };
  if (!readable || timestamp === undefined) return { steps: [first], refusal };
  return {
    steps: [
      first,
      signedTextStep(message, timestamp),
      ...compareSteps(message, timestamp, refusal),
      ageStep(message, timestamp),
    ],
    refusal,
  };
}

const HEADER_NOTES = {
  missing_header: 'The request has no signature.',
  deprecated_scheme: `Only ${NAMES.signatureV0} was sent. It is deprecated, because it can be replayed.`,
  malformed_header: `The header is malformed, or its timestamp differs from ${NAMES.timestamp}.`,
} as const;

function signedTextStep({ body }: SignedMessage, timestamp: string): SignatureStep {
  return {
    title: 'Build the signed payload',
    ok: true,
    note: `The timestamp t, a dot and the ${Buffer.byteLength(body).toLocaleString('en')} bytes of the body exactly as received.`,
    values: [['Signed payload', `${timestamp}.${body}`]],
  };
}

function compareSteps(
  { body, secret, headers }: SignedMessage,
  timestamp: string,
  refusal: VerificationFailure | undefined,
): SignatureStep[] {
  const expected = v1Of(signWebhook({ body, secret, timestamp: Number(timestamp) }));
  const ok = refusal !== 'signature_mismatch';
  return [
    {
      title: 'Compute HMAC-SHA256 with the signing secret',
      ok: true,
      note: 'Uses the secret returned when this subscription was created. The result is in hex.',
      values: [['Computed here', expected]],
    },
    {
      title: 'Compare with v1 in constant time',
      ok,
      note: ok
        ? 'They match: the sender knows the secret, and the body is unchanged.'
        : 'They differ: the secret is different, or the body was changed after signing.',
      values: [['v1 in the header', v1Of(readHeader(headers, NAMES.signature) ?? '')]],
    },
  ];
}

function ageStep({ sentAt }: SignedMessage, timestamp: string): SignatureStep {
  const seconds = Math.round(sentAt / 1000 - Number(timestamp));
  const ok = Math.abs(sentAt / 1000 - Number(timestamp)) <= TOLERANCE;
  return {
    title: `Check the age: at most ${TOLERANCE} s`,
    ok,
    note: ok
      ? `${describeAge(seconds)} when it was sent.`
      : `${describeAge(seconds)} when it was sent: ${seconds > 0 ? 'it could be a replay' : 'a clock is wrong'}.`,
    values: [['t', `${timestamp}  (${new Date(Number(timestamp) * 1000).toISOString()})`]],
  };
}

function describeAge(seconds: number): string {
  if (Math.abs(seconds) < 2) return 'Fresh';
  const count = Math.abs(seconds).toLocaleString('en');
  return seconds > 0 ? `${count} s old` : `${count} s ahead of the clock`;
}

function v1Of(header: string): string {
  return /v1=([^,]*)/.exec(header)?.[1] ?? '';
}

function verificationFailure({
  headers,
  body,
  secret,
  sentAt,
}: SignedMessage): VerificationFailure | undefined {
  try {
    verifyWebhook({ rawBody: body, headers: { ...headers }, secret, now: () => sentAt });
    return undefined;
  } catch (error) {
    if (isWebhookVerificationError(error)) return error.reason;
    throw error;
  }
}
