import type { ErrorCode } from '@qr-service/core';
import { ERROR_CODES } from '@qr-service/core/connector';
import { z } from 'zod';
import { integer, matching, oneOf, text } from '../validation/checks.ts';
import { fields } from '../validation/input.ts';

const MAX_DELAY_MS = 24 * 60 * 60 * 1000;

/** How often a fault applies. JSON has no Infinity, so null stands for it. */
const TIMES = z.union([integer(1, 1e9), z.literal([null, Infinity])], {
  error: 'must be a whole number from 1 to 1000000000',
});

const MATCH = fields({
  /** In upper case. */
  method: text(20).optional(),
  /** Path relative to the API, for example `/qr/*`: `*` matches anything without a slash, `**` matches anything. */
  path: text(500).optional(),
  /** Name of a query parameter that the request has. */
  query: text(100).optional(),
});

/** A request fault, for checking external input. */
export const FAULT = fields({
  /** Default: every request. */
  match: MATCH.optional(),
  /** Respond with this documented error. */
  code: oneOf(Object.keys(ERROR_CODES) as ErrorCode[]).optional(),
  /** Respond with this status. */
  status: integer(200, 599).optional(),
  /** Respond with this text as HTML, like a proxy in front of the service. */
  body: matching(/^/, 'must be a string').optional(),
  /** Seconds in the Retry-After of the error. Default: 1 for status 429, none otherwise. */
  retryAfter: integer(0, 1e9).optional(),
  /** Cut the connection before or after the work is done. */
  drop: oneOf(['before', 'after']).optional(),
  /** Wait this many milliseconds before the work starts. */
  delayMs: integer(0, MAX_DELAY_MS).optional(),
  /** Number of requests, or Infinity (in JSON null) until it is cleared. Default 1. */
  times: TIMES.optional(),
});

/** A fault to inject into API requests. Without any effect, the service responds with 503. */
export type Fault = z.infer<typeof FAULT>;

/** Which requests a fault applies to. A request must match every given field. */
export type FaultMatch = z.infer<typeof MATCH>;

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
