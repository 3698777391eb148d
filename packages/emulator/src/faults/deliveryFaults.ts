import { createFaultList, type FaultList } from './faultList.ts';

/** Every delivery fault, with what the receiver sees. */
export const DELIVERY_FAULTS = {
  'wrong secret': 'Signed with a different secret.',
  'stale timestamp': 'Correctly signed, but an hour ago: older than receivers accept.',
  'V0 only': 'Carries only the deprecated V0 signature, which can be replayed.',
  unsigned: 'Carries no signature.',
  're-serialized body': 'The body was parsed and serialized again after signing, as some proxies do.',
  duplicate: 'Delivered twice with the same delivery ID, as if the first acknowledgement was lost.',
  'second delivery id': 'The same event is delivered twice, with two delivery IDs.',
  'out of order':
    'Arrives after the next delivery to the same subscription, or a second late if none follows.',
  'first signature':
    'The first acknowledgement is treated as lost, and the retry reuses the first signature.',
  'receiver time-out': "The emulator doesn't wait for the response and treats the attempt as timed out.",
} as const;

/** Name of a delivery fault. */
export type DeliveryFaultKind = keyof typeof DELIVERY_FAULTS;

/** A fault to inject into deliveries. */
export interface DeliveryFault {
  kind: DeliveryFaultKind;
  /** Number of attempts, or Infinity until it is cleared. Default 1. */
  times?: number;
}

/** Active delivery faults. */
export type DeliveryFaults = FaultList<DeliveryFault>;

/** @throws TypeError from `add`, for an unknown kind or an invalid `times` */
export function createDeliveryFaults(): DeliveryFaults {
  const list = createFaultList<DeliveryFault>();
  return {
    ...list,
    add(fault) {
      if (!Object.hasOwn(DELIVERY_FAULTS, fault.kind))
        throw new TypeError(
          `Unknown delivery fault ${fault.kind}. Use one of: ${Object.keys(DELIVERY_FAULTS).join(', ')}.`,
        );
      return list.add(fault);
    },
  };
}
