import { ERROR_CODES } from '@qr-service/core/connector';
import { WIRE_CHOICES } from '@qr-service/core/shape';
import { DELIVERY_FAULTS, type DeliveryFault } from '../../faults/deliveryFaults.ts';
import type { SetFault } from '../../faults/faultList.ts';
import { FAULT_PRESETS } from '../../faults/requestFaultPresets.ts';
import type { Fault } from '../../faults/requestFaults.ts';
import type { Fields } from '../../validation/checkObject.ts';
import { isBoolean, isInteger, isOneOf, isText, nullable } from '../../validation/checks.ts';

const MAX_DELAY_MS = 10 * 365 * 24 * 60 * 60 * 1000;

const MAX_PAGE_BYTES = 64 * 1024 * 1024;

/** JSON has no Infinity, so null stands for it. */
const TIMES = nullable(isInteger(1, 1e9));

const DELAY: Fields = {
  required: { unit: isOneOf(WIRE_CHOICES.reset), ms: isInteger(0, MAX_DELAY_MS) },
};

/** A `Fault` as JSON. */
export const FAULT_FIELDS: Fields = {
  optional: {
    preset: isOneOf(Object.keys(FAULT_PRESETS)),
    times: TIMES,
    code: isOneOf(Object.keys(ERROR_CODES)),
    status: isInteger(200, 599),
    html: isBoolean,
    bytes: isInteger(0, MAX_PAGE_BYTES),
    encoding: isOneOf(['gzip', 'broken gzip']),
    drop: isOneOf(['before', 'after']),
    cut: isOneOf(['length', 'chunked']),
    delayMs: isInteger(0, MAX_DELAY_MS),
  },
  nested: {
    match: { optional: { method: isText(20), path: isText(500), query: isText(100) } },
    retryAfter: DELAY,
    reset: DELAY,
  },
};

/** A `DeliveryFault` as JSON. */
export const DELIVERY_FAULT_FIELDS: Fields = {
  required: { kind: isOneOf(Object.keys(DELIVERY_FAULTS)) },
  optional: { times: TIMES },
};

/** Converts `times: null` of a valid body to Infinity, as `control` expects. */
export function withInfiniteTimes(body: Record<string, unknown>): Record<string, unknown> {
  return body['times'] === null ? { ...body, times: Infinity } : body;
}

/** An active fault as JSON. */
export function activeFaultJson({ id, fault, left }: SetFault<Fault | DeliveryFault>): object {
  const { times: _times, ...rest } = fault;
  return { id, ...rest, left: left === Infinity ? null : left };
}
