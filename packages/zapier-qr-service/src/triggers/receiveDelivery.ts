import { randomUUID } from 'node:crypto';
import {
  isWebhookVerificationError,
  verifyWebhook,
  type EventType,
  type QrCode,
  type VerifiedDelivery,
} from '@qr-service/core';
import type { Bundle, ZObject } from 'zapier-platform-core';
import { CACHE_MS, withTimeout, writeFirst } from '../client/cache.ts';
import { plainError } from '../errors/zapierErrors.ts';
import { eventOutputRow } from '../resources/event.ts';
import { readCodeFilters } from './filters.ts';

/**
 * Maximum age of a delivery's signature, in seconds. Wider than the reference verifiers' 300 s: Zapier may process an
 * accepted delivery minutes later and retries a throttled one for up to 300 s. Replays within the window are dropped as
 * duplicates.
 */
const DELIVERY_TOLERANCE_SECONDS = 3600;

/**
 * Converts a delivery to a row. A forged, stale or duplicate one returns none: with an error, a stranger could pause
 * the Zap. One that doesn't match the filters returns none either, but isn't remembered, so it can still pass when it
 * is redelivered.
 * @throws Zapier's Error if there is no signing secret, as no delivery can be verified without it
 */
export async function receiveDelivery(
  z: ZObject,
  bundle: Bundle,
  type: EventType,
): Promise<Record<string, unknown>[]> {
  const { id, secret } = (bundle.subscribeData ?? {}) as { id?: unknown; secret?: string };
  const delivery = verify(z, bundle, secret);
  if (delivery === undefined) return [];
  const { event } = delivery;
  if (event.type !== type) {
    z.console.log("Ignored a delivery: its event type doesn't match this trigger.");
    return [];
  }
  const { qrId, qr } = event.data as { qrId?: unknown; qr?: Partial<QrCode> | null };
  if (!readCodeFilters(bundle).pass({ ...qr, id: qrId })) {
    z.console.log("Ignored a delivery: its QR code doesn't match this trigger's filters.");
    return [];
  }
  if (await isDuplicate(z, String(id), event.id)) {
    z.console.log('Ignored a duplicate delivery: the event was already received.');
    return [];
  }
  return [eventOutputRow(z, type, event)];
}

function verify(z: ZObject, bundle: Bundle, secret = ''): VerifiedDelivery | undefined {
  try {
    return verifyWebhook({
      rawBody: bundle.rawRequest?.content ?? '',
      headers: bundle.rawRequest?.headers ?? {},
      secret,
      toleranceSeconds: DELIVERY_TOLERANCE_SECONDS,
    });
  } catch (error) {
    if (!isWebhookVerificationError(error)) throw error;
    if (error.code === 'missing_secret')
      throw plainError(
        z,
        "This Zap's signing secret is missing, so events can't be verified. Turn the Zap off and on again to create a new one.",
        error.code,
      );
    z.console.log(`Rejected a delivery (${error.code}). The Zap wasn't triggered.`);
    return undefined;
  }
}

/**
 * Whether an event was already delivered to this subscription. Remembers it if not, for a day: longer than any retry of
 * its delivery can still be verified. Best effort: Zapier's cache may forget or fail, and a lost delivery is worse than
 * a duplicate. The delivery ID is useless for this: it isn't signed, so anyone who captured a delivery could replay it
 * with a new one.
 */
async function isDuplicate(z: ZObject, subscriptionId: string, eventId: string): Promise<boolean> {
  const own = randomUUID();
  try {
    const first = await withTimeout(writeFirst(z, `${subscriptionId}:event:${eventId}`, own), CACHE_MS);
    return first !== null && first !== own;
  } catch {
    z.console.log("Zapier's cache didn't respond, so a duplicate delivery may trigger the Zap.");
    return false;
  }
}
