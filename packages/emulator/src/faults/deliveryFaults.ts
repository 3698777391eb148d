import type { z } from 'zod';
import { fields, oneOf, readInput } from '../validation/input.ts';
import { createFaultList, TIMES } from './faultList.ts';

/** Every delivery fault, with what the receiver sees. */
export const DELIVERY_FAULTS = {
  'wrong secret': 'Signed with a different secret.',
  'stale timestamp': 'Correctly signed, but an hour ago: older than receivers accept.',
  'V0 only': 'Carries only the deprecated V0 signature, which can be replayed.',
  unsigned: 'Carries no signature.',
  're-serialized body': 'The body was parsed and serialized again after signing, as some proxies do.',
  duplicate: 'Delivered twice with the same delivery ID, as if the first acknowledgement was lost.',
  'second delivery id': 'The same event is delivered twice, with two delivery IDs.',
} as const;

/** Name of a delivery fault. */
export type DeliveryFaultKind = keyof typeof DELIVERY_FAULTS;

/** A delivery fault, for checking external input. */
export const DELIVERY_FAULT = fields({
  kind: oneOf(Object.keys(DELIVERY_FAULTS) as DeliveryFaultKind[]),
  /** Number of attempts, or Infinity (in JSON null) until it is cleared. Default 1. */
  times: TIMES.optional(),
});

/** A fault to inject into deliveries. */
export type DeliveryFault = z.infer<typeof DELIVERY_FAULT>;

/** Active delivery faults. */
export type DeliveryFaults = ReturnType<typeof createDeliveryFaults>;

/** @throws InputError from `add`, for an unknown kind or an invalid `times` */
export function createDeliveryFaults() {
  const list = createFaultList<DeliveryFault>();
  return { ...list, add: (fault: DeliveryFault) => list.add(readInput(DELIVERY_FAULT, fault)) };
}
