import { ApiError } from '../errors/ApiError.ts';
import type { TransportFailure } from '../errors/codes.ts';
import { TransportError } from '../errors/TransportError.ts';
import { decideRetry } from './retry.ts';

const usual = { attempt: 1, uncounted: 0, maxAttempts: 5, random: 0.5 };
const left = { budgetLeftMs: 60_000, rateLimitLeftMs: 50_000 };
/** What differs from a first attempt that failed because of the network. */
type Change = Partial<typeof usual & typeof left> & {
  status?: number;
  code?: string;
  retryAfterMs?: number;
  isOwn?: boolean;
};

function decide({ status, code = 'network', retryAfterMs, isOwn = true, ...change }: Change) {
  const facts = { code, message: '', method: 'POST', path: '/qr', retryable: true };
  const asked = retryAfterMs === undefined ? {} : { retryAfterMs };
  const proxy = isOwn ? {} : { intermediary: 'text/html' };
  const error =
    status === undefined
      ? new TransportError('It failed.', { code: code as TransportFailure })
      : new ApiError({ ...facts, status, ...asked, ...proxy });
  return decideRetry({ ...usual, ...left, ...change, error });
}

const status = (status: number, code = `http_${status}`): Change => ({ status, code });
const LIMITED = status(429, 'rate_limited');
const RUNNING = status(409, 'idempotency_in_progress');
const away = (seconds: number) => ({ ...status(503), retryAfterMs: seconds * 1000 });
const proxied = (seconds: number) => ({ isOwn: false, retryAfterMs: seconds * 1000 });
type Row = [what: string, change: Change, expected: string];

/** `all` wait if the response asks all calls to do so. */
it.each<Row>([
  ...['network', 'timeout'].map((code): Row => [code, { code }, 'wait 250']),
  ...['aborted', 'certificate', 'redirect'].map((code): Row => [code, { code }, 'stop']),
  ...[408, 500, 503].map((code): Row => [`${code}`, status(code), 'wait 250']),
  ...[401, 403, 404, 422, 501].map((code): Row => [`${code}`, status(code), 'stop']),
  ['409 because the first attempt is still running', RUNNING, 'wait 250'],
  ['409 with Retry-After', { ...RUNNING, retryAfterMs: 2000 }, 'wait 2250'],
  ['409 because the key was used before', status(409, 'idempotency_conflict'), 'stop'],
  ['429 without Retry-After', LIMITED, 'all wait 250'],
  ['429 with Retry-After', { ...LIMITED, retryAfterMs: 7000 }, 'all wait 7000'],
  ['429 with a Retry-After of 0', { ...LIMITED, retryAfterMs: 0 }, 'all wait 250'],
  ['429 for a call that is never retried', { ...LIMITED, maxAttempts: 1 }, 'all stop'],
  ['503 with Retry-After', away(2), 'all wait 2250'],
  ['503 with Retry-After, ninth attempt', { ...away(2), attempt: 9, maxAttempts: 10 }, 'all wait 2500'],
  ['501 with Retry-After', { ...status(501), retryAfterMs: 2000 }, 'stop'],
  ['second attempt: twice the wait', { attempt: 2 }, 'wait 500'],
  ['ninth attempt: the wait is capped', { attempt: 9, maxAttempts: 10 }, 'wait 10000'],
  ['last attempt', { attempt: 5 }, 'stop'],
  ['fifth attempt, two of which do not count', { attempt: 5, uncounted: 2 }, 'wait 4000'],
  ['ninth attempt after a 429', { ...LIMITED, attempt: 9 }, 'all wait 10000'],
  ['ninth attempt while the first is still running', { ...RUNNING, attempt: 9 }, 'wait 10000'],
  ['a wait of its own that leaves no time for an attempt', { budgetLeftMs: 250 }, 'stop'],
  ['a wait of its own that leaves some', { budgetLeftMs: 251 }, 'wait 250'],
  ['a wait for the service that uses up its limit', { ...LIMITED, retryAfterMs: 50_000 }, 'all wait 50000'],
  ['a wait for the service beyond its limit', { ...LIMITED, retryAfterMs: 50_001 }, 'all stop'],
  ['a wait for the service, with no time of its own left', { ...LIMITED, budgetLeftMs: 0 }, 'all stop'],
  ["a proxy's 503, within the call's own time", { ...status(503), ...proxied(55) }, 'wait 55250'],
  ["a proxy's 429 beyond the call's own time", { ...LIMITED, ...proxied(60) }, 'stop'],
])('%s', (_what, change, expected) => {
  const { shouldRetry, waitMs, isAnnounced } = decide(change);
  expect(`${isAnnounced ? 'all ' : ''}${shouldRetry ? `wait ${waitMs}` : 'stop'}`).toBe(expected);
});
