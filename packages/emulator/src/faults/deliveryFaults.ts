import { isOneOf } from '../validation/checks.ts';
import { field, fields, readInput } from '../validation/input.ts';
import { createFaultList, isTimes, type FaultList } from './faultList.ts';

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

/** A fault to inject into deliveries. */
export interface DeliveryFault {
  kind: DeliveryFaultKind;
  /** Number of attempts, or Infinity (in JSON null) until it is cleared. Default 1. */
  times?: number | null;
}

/** Active delivery faults. */
export type DeliveryFaults = FaultList<DeliveryFault>;

/** A delivery fault, for checking external input. */
export const DELIVERY_FAULT = fields({
  kind: field(isOneOf(Object.keys(DELIVERY_FAULTS))),
  times: field(isTimes).optional(),
});

/** @throws InputError from `add`, for an unknown kind or an invalid `times` */
export function createDeliveryFaults(): DeliveryFaults {
  const list = createFaultList<DeliveryFault>();
  return { ...list, add: (fault) => list.add(readInput(DELIVERY_FAULT, fault) as DeliveryFault) };
}
