import {
  isWebhookVerificationError,
  verifyWebhook,
  type EventType,
  type VerifiedDelivery,
} from '@qr-service/core';
import type { Bundle, ZObject } from 'zapier-platform-core';
import { plainError } from '../errors/zapierErrors.ts';
import { readText } from '../inputs/readInputs.ts';
import { eventOutputRow } from '../resources/event.ts';
import { isRepeated } from './isDuplicate.ts';

/**
 * Seconds that a delivery may be old. Wider than the reference verifiers' 300 s: Zapier may take up an
 * accepted delivery minutes later and tries a throttled one again for up to 300 s. What is replayed within
 * the window is caught as a repetition.
 */
export const DELIVERY_TOLERANCE_SECONDS = 3600;

/**
 * Turns a delivery into a row. A forged, stale or repeated one gives none: an error would let a stranger
 * pause the Zap.
 * @throws Zapier's Error when there is no signing secret, as then no delivery can be told from a forged one
 */
export async function receiveDelivery(
  z: ZObject,
  bundle: Bundle,
  type: EventType,
): Promise<Record<string, unknown>[]> {
  const delivery = verify(z, bundle);
  if (delivery === undefined) return [];
  const { event, deliveryId } = delivery;
  if (event.type !== type) {
    z.console.log('A delivery was ignored: it is of another event than this trigger is for.');
    return [];
  }
  if (await isRepeated(z, readText(bundle.subscribeData?.id) ?? '', event.id)) {
    z.console.log('A delivery was ignored: its event came before.');
    return [];
  }
  return [eventOutputRow(type, event, deliveryId)];
}

function verify(z: ZObject, bundle: Bundle): VerifiedDelivery | undefined {
  const { secret } = (bundle.subscribeData ?? {}) as { secret?: unknown };
  try {
    return verifyWebhook({
      rawBody: bundle.rawRequest?.content ?? '',
      headers: bundle.rawRequest?.headers ?? {},
      secret: readText(secret) ?? '',
      toleranceSeconds: DELIVERY_TOLERANCE_SECONDS,
    });
  } catch (error) {
    if (!isWebhookVerificationError(error)) throw error;
    if (error.reason === 'missing_secret')
      throw plainError(
        z,
        "The signing secret of this Zap's subscription is missing, so no delivery can be trusted. Turn the Zap off and on again: that makes a new subscription.",
        error.reason,
      );
    z.console.log(`A delivery was refused (${error.reason}). Nothing was started.`);
    return undefined;
  }
}
