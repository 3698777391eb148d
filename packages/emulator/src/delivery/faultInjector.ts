import type { DeliveryFaultKind, DeliveryFaults } from '../faults/deliveryFaults.ts';
import type { Delivery } from '../store/deliveries.ts';

/** Says what goes wrong with which attempt. */
export type FaultInjector = ReturnType<typeof createFaultInjector>;

export function createFaultInjector(faults: DeliveryFaults) {
  /** The delivery of each subscription that waits for another one to overtake it. */
  const held = new Map<string, string>();
  /** Deliveries whose next attempt no fault is to take: a fault has made it. */
  const exempt = new Set<string>();
  /** Deliveries whose retries are not signed anew. */
  const signedOnce = new Set<string>();

  return {
    /** The fault of the attempt that is due; uses it up. */
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
    /** Leaves the next attempt of a delivery as it is. */
    exemptNextAttempt: (deliveryId: string): void => void exempt.add(deliveryId),
    /** The delivery that this one has overtaken, if any; it waits no longer. */
    releaseOvertaken({ id, subscriptionId }: Delivery): string | undefined {
      const waiting = held.get(subscriptionId);
      if (waiting === undefined || waiting === id) return undefined;
      held.delete(subscriptionId);
      return waiting;
    },
    /** Call when a delivery is through or given up. */
    forget: (deliveryId: string): void => void signedOnce.delete(deliveryId),
    /** Forgets every delivery. */
    forgetAll(): void {
      held.clear();
      exempt.clear();
      signedOnce.clear();
    },
  };
}
