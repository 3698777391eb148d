import {
  isApiError,
  isTransportError,
  type QrCode,
  type QrServiceClient,
  type WebhookSubscription,
} from '@qr-service/core';
import { describeError, errorText, isNotPublishedError, type Connection } from '@qr-service/core/connector';
import { fails, unknown, type Outcome } from '../findings/Finding.ts';
import type { Ledger } from '../http/Ledger.ts';
import type { Recorder } from '../http/Recorder.ts';
import type { Receiver } from '../webhook/Receiver.ts';

/** What all checks share: the connection, and what they know from each other. */
export interface Probe {
  /** The connectors' own client: what it returns or throws is what their users would see. */
  client: QrServiceClient;
  connection: Connection;
  recorder: Recorder;
  ledger: Ledger;
  write: boolean;
  /** Where to receive a delivery. */
  webhook: { url: string; receiver: Receiver } | undefined;
  now: () => number;
  known: {
    /** Codes of the first page. */
    codes?: readonly QrCode[];
    /** The probe's own code, when it was created, and with which Idempotency-Key. */
    own?: QrCode;
    createdAt?: number;
    idempotencyKey?: string;
    /** When its short link was opened first, and whether it led to the target. */
    visitedAt?: number;
    linkWorks?: boolean;
    subscription?: WebhookSubscription;
  };
}

/** Where the probe's own codes point, and then point to instead. */
export const TARGETS = ['https://example.com/', 'https://example.org/'] as const;
/** How the core names what users of the probe can change. */
const WORDS = { credential: 'options', rerun: 'run the probe again' };
/** How long a change may take to show, in milliseconds. */
export const MAX_CHANGE_MS = 8000;
const POLL_MS = 500;

/** Looks at something until it is as it should be, or time is up. */
export async function waitUntil<Seen>(
  { recorder, now }: Pick<Probe, 'recorder' | 'now'>,
  look: () => Promise<Seen>,
  isDone: (seen: Seen) => boolean,
  until = now() + MAX_CHANGE_MS,
): Promise<Seen> {
  for (;;) {
    const seen = await look();
    if (isDone(seen) || now() >= until || recorder.isOver) return seen;
    await recorder.sleep(POLL_MS);
  }
}

/** Refusals that say nothing about the connectors: the key, the workspace or the moment is the reason. */
const CIRCUMSTANCES = [
  'insufficient_scope',
  'quota_exceeded',
  'rate_limited',
  'approval_required',
  'contrast_check_failed',
];

/** An error in the words of the connectors. */
export function explain(error: unknown): string {
  return errorText(describeError(error, WORDS));
}

/** What an error of the client says about a job. */
export function failed(error: unknown): Outcome {
  const cause: unknown = isNotPublishedError(error) ? error.cause : error;
  if (isTransportError(cause)) return fails('no usable response', explain(cause));
  if (!isApiError(cause)) return fails('not readable', explain(cause));
  return CIRCUMSTANCES.includes(cause.code)
    ? unknown(explain(cause), `status ${cause.status}`)
    : fails(`status ${cause.status}`, explain(cause));
}

/** Status of the last response to a path that ends so. */
export function statusOf({ recorder }: Probe, end: string): string {
  return `status ${recorder.exchanges.findLast(({ path }) => path.endsWith(end))?.status ?? 'unknown'}`;
}

/** The probe's own code, for jobs that come after its creation. */
export function ownCode({ known }: Probe): QrCode {
  if (known.own === undefined) throw new Error('No code was created.');
  return known.own;
}

/** The probe's own code as it is read now; undefined if it can't be. */
export async function readOwn(probe: Probe): Promise<QrCode | undefined> {
  return probe.client.qr.get(ownCode(probe).id).catch(() => undefined);
}

/** Something can be looked at only if the workspace has codes. */
export function needsCodes({ write }: Probe, what: string): Outcome {
  return unknown(
    `The list has no ${what}. Add one, or run the probe ${write ? 'again in a minute' : 'with --write'}.`,
  );
}
