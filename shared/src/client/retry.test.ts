import { ApiError } from '../errors/ApiError.ts';
import type { TransportFailure } from '../errors/codes.ts';
import { TransportError } from '../errors/QrServiceError.ts';
import { decideRetry } from './retry.ts';

const usual = {
  attempt: 1,
  uncounted: 0,
  maxAttempts: 5,
  ownLeftMs: 60_000,
  serviceLeftMs: 50_000,
  random: 0.5,
};
/** What differs from a first attempt that failed because of the network. */
type Change = Partial<typeof usual> & {
  status?: number;
  code?: string;
  retryAfterMs?: number;
  isOwn?: boolean;
};

function decide({ status, code = 'network', retryAfterMs, isOwn = true, ...change }: Change) {
  const error =
    status === undefined
      ? new TransportError('It failed.', { kind: code as TransportFailure })
      : new ApiError({
          ...{ status, code, message: '', method: 'POST', path: '/qr', retryable: true },
          ...(retryAfterMs !== undefined && { retryAfterMs }),
          ...(!isOwn && { intermediary: 'text/html' }),
        });
  return decideRetry({ ...usual, ...change, error });
}

const status = (status: number, code = `http_${status}`): Change => ({ status, code });
const LIMITED = status(429, 'rate_limited');
const RUNNING = status(409, 'idempotency_in_progress');
const away = (seconds: number) => ({ ...status(503), retryAfterMs: seconds * 1000 });

describe('decideRetry', () => {
  it.each<[what: string, change: Change, waitMs: number | 'stop']>([
    ['network error', {}, 250],
    ['time limit', { code: 'timeout' }, 250],
    ['cancelled by the caller', { code: 'aborted' }, 'stop'],
    ['certificate that is not trusted', { code: 'certificate' }, 'stop'],
    ['redirect', { code: 'redirect' }, 'stop'],
    ['second attempt: twice the wait', { attempt: 2 }, 500],
    ['third attempt', { attempt: 3 }, 1000],
    ['ninth attempt: the wait is capped', { attempt: 9, maxAttempts: 10 }, 10_000],
    ['last attempt', { attempt: 5 }, 'stop'],
    ['fifth attempt, two of which do not count', { attempt: 5, uncounted: 2 }, 4000],
    ['ninth attempt after a 429 with a Retry-After', { ...LIMITED, attempt: 9, retryAfterMs: 7000 }, 7000],
    ['ninth attempt after a 429 without a Retry-After', { ...LIMITED, attempt: 9 }, 10_000],
    ['ninth attempt while the first is still running', { ...RUNNING, attempt: 9 }, 10_000],
    ['429 for a call that is never retried', { ...LIMITED, maxAttempts: 1 }, 'stop'],
    ['no jitter left', { random: 0 }, 0],
    ['401', status(401, 'invalid_api_key'), 'stop'],
    ['403', status(403, 'insufficient_scope'), 'stop'],
    ['404', status(404, 'not_found'), 'stop'],
    ['408', status(408), 250],
    ['409 because the first attempt is still running', RUNNING, 250],
    ['409 because the key was used before', status(409, 'idempotency_conflict'), 'stop'],
    ['422', status(422, 'validation_failed'), 'stop'],
    ['429 without Retry-After', LIMITED, 250],
    ['429 with Retry-After', { ...LIMITED, retryAfterMs: 7000 }, 7000],
    ['429 with a Retry-After of 0', { ...LIMITED, retryAfterMs: 0 }, 250],
    ['500', status(500), 250],
    ['501', status(501), 'stop'],
    ['503 with Retry-After', away(2), 2250],
    ['a wait of its own that leaves no time for an attempt', { ownLeftMs: 250 }, 'stop'],
    ['a wait of its own that leaves some', { ownLeftMs: 251 }, 250],
    ['a wait for the service that uses up its limit', { ...LIMITED, retryAfterMs: 50_000 }, 50_000],
    ['a wait for the service beyond its limit', { ...LIMITED, retryAfterMs: 50_001 }, 'stop'],
    ['a wait for the service, with no time of its own left', { ...LIMITED, ownLeftMs: 0 }, 'stop'],
    ['a pause beyond its limit', away(50), 'stop'],
    ["a proxy's 503 with Retry-After, within the call's own time", { ...away(55), isOwn: false }, 55_250],
    ["a proxy's 429 beyond the call's own time", { ...LIMITED, isOwn: false, retryAfterMs: 60_000 }, 'stop'],
  ])('%s', (_what, change, expected) => {
    const { retries, waitMs } = decide(change);
    expect(retries ? waitMs : 'stop').toBe(expected);
  });

  it.each<[what: string, change: Change, isAnnounced: boolean]>([
    ['429', LIMITED, true],
    ['503 with Retry-After', away(2), true],
    ['503 without Retry-After', status(503), false],
    ['501 with Retry-After', { ...status(501), retryAfterMs: 2000 }, false],
    ["a proxy's 429", { ...LIMITED, isOwn: false }, false],
    ['409 with Retry-After', { ...RUNNING, retryAfterMs: 2000 }, false],
    ['network error', {}, false],
  ])('%s makes all calls wait: %p', (_what, change, isAnnounced) =>
    expect(decide(change)).toMatchObject({ isAnnounced }),
  );
});
