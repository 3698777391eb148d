import type { DeliveryReport } from './dispatcher.ts';

/** An attempt on one line. The hint comes with the first attempt only. */
export function describeAttempt({
  deliveryId,
  eventType,
  status,
  error,
  attempt,
  hint,
}: DeliveryReport): string {
  const outcome = `delivery ${deliveryId} ${eventType} → ${status ?? error}`;
  return hint === null || attempt > 1 ? outcome : `${outcome}. ${hint}`;
}
