import { createFaultList, type FaultList } from './faultList.ts';

/** Every delivery fault, with what the receiver sees. */
export const DELIVERY_FAULTS = {
  'wrong secret': "Signed with a secret that is not the subscription's.",
  'stale timestamp': 'Signed an hour ago: genuine, but older than receivers accept.',
  'V0 only': 'Carries the deprecated V0 signature alone, which can be replayed.',
  unsigned: 'Carries no signature at all.',
  're-serialised body': 'The body was parsed and serialized again after signing, as some proxies do.',
  duplicate: 'Delivered twice under one delivery id, as if the first acknowledgement was lost.',
  'second delivery id': 'The same event is delivered again under another delivery id.',
  'out of order':
    'Arrives after the next delivery to the same subscription, or a second late if there is none.',
  'first signature': 'The first acknowledgement counts as lost, and the retry reuses the first signature.',
  'receiver time-out': "The emulator doesn't wait for the response: the attempt counts as timed out.",
} as const;

/** Name of a delivery fault. */
export type DeliveryFaultKind = keyof typeof DELIVERY_FAULTS;

/** What goes wrong with deliveries. */
export interface DeliveryFault {
  kind: DeliveryFaultKind;
  /** How many attempts; Infinity until it is cleared. Default 1. */
  times?: number;
}

/** Faults that wait for delivery attempts. */
export type DeliveryFaults = FaultList<DeliveryFault>;

/** @throws TypeError from `add`, for an unknown kind or an invalid `times` */
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
