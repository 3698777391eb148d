import { createFaultList, type FaultList } from './faultList.ts';

/** Every way in which a delivery can go wrong, with what its receiver sees. */
export const DELIVERY_FAULTS = {
  'wrong secret': "Signed with a secret that is not the subscription's.",
  'stale timestamp': 'Signed an hour ago: genuine, but older than receivers accept.',
  'V0 only': 'Carries the deprecated V0 signature alone, which can be replayed.',
  unsigned: 'Carries no signature at all.',
  're-serialised body': 'The body was parsed and written anew after it was signed, as some proxies do.',
  duplicate: 'Comes twice under one delivery id: the first acknowledgement counts as lost.',
  'second delivery id': 'The same event comes once more under another delivery id.',
  'out of order':
    'Comes after the next delivery to the same subscription, or a second late where none follows.',
  'first signature':
    'The first acknowledgement counts as lost, and the retry carries the first signature again.',
  'receiver time-out':
    'The emulator sends the delivery and does not wait for the answer: it counts as timed out.',
} as const;

/** One of the ways in which a delivery can go wrong. */
export type DeliveryFaultKind = keyof typeof DELIVERY_FAULTS;

/** What goes wrong with deliveries. */
export interface DeliveryFault {
  kind: DeliveryFaultKind;
  /** How many attempts; Infinity until it is cleared. Default 1. */
  times?: number;
}

/** Faults that wait for their attempts. */
export type DeliveryFaults = FaultList<DeliveryFault>;

/** @throws TypeError from `add` for a kind that there is not, or times that are no count */
export function createDeliveryFaults(): DeliveryFaults {
  const list = createFaultList<DeliveryFault>();
  return {
    ...list,
    add(fault) {
      if (!Object.hasOwn(DELIVERY_FAULTS, fault.kind))
        throw new TypeError(
          `There is no delivery fault ${fault.kind}. Delivery faults are: ${Object.keys(DELIVERY_FAULTS).join(', ')}.`,
        );
      return list.add(fault);
    },
  };
}
