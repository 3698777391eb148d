import type { DeliveryFaultKind, DeliveryFaults } from '../faults/deliveryFaults.ts';
import type { Delivery } from '../store/records.ts';

/** Decides which fault each attempt gets. */
export function createFaultInjector(faults: DeliveryFaults) {
  /** The delivery that waits to be overtaken, by subscription. */
  const held = new Map<string, string>();
  /** Deliveries whose next attempt gets no fault, because a fault caused it. */
  const exempt = new Set<string>();
  /** Deliveries whose retries reuse the first signature. */
  const signedOnce = new Set<string>();

  return {
    /** Uses up and returns the fault for the attempt that is due. */
    faultFor({ id, subscriptionId }: Delivery): DeliveryFaultKind | undefined {
      if (held.get(subscriptionId) === id) held.delete(subscriptionId);
      if (exempt.delete(id)) return undefined;
      if (signedOnce.has(id)) return 'first signature';
      const fault = faults.take(({ kind }) => kind !== 'out of order' || !held.has(subscriptionId))?.kind;
      if (fault === 'first signature') signedOnce.add(id);
      if (fault === 'out of order') {
        held.set(subscriptionId, id);
        exempt.add(id);
      }
      return fault;
    },
    /** Exempts the next attempt of a delivery from faults. */
    exemptNextAttempt: (deliveryId: string): void => void exempt.add(deliveryId),
    /** Releases the delivery that this one has overtaken and returns its ID, if there is one. */
    releaseOvertaken({ id, subscriptionId }: Delivery): string | undefined {
      const waiting = held.get(subscriptionId);
      if (waiting === undefined || waiting === id) return undefined;
      held.delete(subscriptionId);
      return waiting;
    },
    /** Call when a delivery is settled. */
    forget: (deliveryId: string): void => void signedOnce.delete(deliveryId),
    /** Forgets every delivery. */
    forgetAll(): void {
      held.clear();
      exempt.clear();
      signedOnce.clear();
    },
  };
}
