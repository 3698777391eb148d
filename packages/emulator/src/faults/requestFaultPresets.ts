import { ERROR_CODES } from '@qr-service/core/connector';
import type { ErrorCode } from '@qr-service/core';
import { WIRE_CHOICES } from '@qr-service/core/shape';
import type { FaultEffect } from './faultEffect.ts';

/** A named fault. */
export interface NamedFault {
  /** What the client sees, in one sentence. */
  description: string;
  fault: FaultEffect;
}

type Unit = (typeof WIRE_CHOICES)['reset'][number];
type RateLimitPreset = `rate limited, ${Unit}`;

const GENERAL_PRESETS = {
  slow: { description: 'The response is delayed by 2 s.', fault: { delayMs: 2_000 } },
  unavailable: { description: 'The service responds with 503.', fault: { status: 503 } },
  'proxy error': {
    description: 'A proxy responds with 502 and a page of HTML.',
    fault: { status: 502, html: true },
  },
  'large page': {
    description: 'A proxy responds with 404 and a page of HTML of 2 MB.',
    fault: { status: 404, bytes: 2_000_000 },
  },
  'compressed page': {
    description: 'The same page in gzip, which is small until it is decompressed.',
    fault: { status: 404, bytes: 2_000_000, encoding: 'gzip' },
  },
  'reset before the work': {
    description: 'The connection is cut before the request is processed.',
    fault: { drop: 'before' },
  },
  'reset after the work': {
    description: 'The connection is cut after the request is processed.',
    fault: { drop: 'after' },
  },
  'body cut short': {
    description: 'The connection is cut in the middle of a body with a Content-Length.',
    fault: { cut: 'length' },
  },
  'chunked body cut short': {
    description: 'The connection is cut in the middle of a chunked body.',
    fault: { cut: 'chunked' },
  },
  'expired cursors': {
    description: 'Every cursor gets 422 invalid_cursor.',
    fault: { match: { query: 'cursor' }, code: 'invalid_cursor' },
  },
} as const satisfies Record<string, NamedFault>;

/** Name of a preset. Every documented error code is one. */
export type FaultPreset = keyof typeof GENERAL_PRESETS | RateLimitPreset | ErrorCode;

const RATE_LIMIT_PRESETS = Object.fromEntries(
  WIRE_CHOICES.reset.map((unit): [string, NamedFault] => [
    `rate limited, ${unit}`,
    {
      description: `429 with Retry-After and X-RateLimit-Reset 2 s from now, ${unit === 'HTTP date' ? 'as an HTTP date' : `in ${unit}`}.`,
      fault: { code: 'rate_limited', retryAfter: { unit, ms: 2_000 }, reset: { unit, ms: 2_000 } },
    },
  ]),
) as Record<RateLimitPreset, NamedFault>;

/** Error codes that only a POST returns. */
const ONLY_ON_POST: ReadonlySet<string> = new Set<ErrorCode>([
  'idempotency_conflict',
  'idempotency_in_progress',
  'quota_exceeded',
  'approval_required',
  'contrast_check_failed',
]);

const ERROR_CODE_PRESETS = Object.fromEntries(
  Object.entries(ERROR_CODES).map(([code, { status, meaning }]): [string, NamedFault] => [
    code,
    {
      description: `${status}: ${meaning}`,
      fault: {
        ...(ONLY_ON_POST.has(code) ? { match: { method: 'POST' } } : {}),
        code: code as ErrorCode,
      },
    },
  ]),
) as Record<ErrorCode, NamedFault>;

/** Every named fault. */
export const FAULT_PRESETS: Readonly<Record<FaultPreset, NamedFault>> = {
  ...GENERAL_PRESETS,
  ...RATE_LIMIT_PRESETS,
  ...ERROR_CODE_PRESETS,
};
