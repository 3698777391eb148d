import type { QrCodeQuery, QrCodes } from '../client/QrCodes.ts';
import type { CallOptions } from '../client/RequestExecutor.ts';
import type { Page, QrCode } from '../contract/types.ts';
import { isApiError } from '../errors/ApiError.ts';
import { duration } from '../errors/explain.ts';
import { isTransportError } from '../errors/TransportError.ts';
import type { RateLimit } from '../wire/rateLimit.ts';
import { INPUTS } from './inputs.ts';
import { isParameterError, ParameterError } from './parameters/ParameterError.ts';

/** Options for finding codes in the list. */
export interface FindOptions extends CallOptions {
  /**
   * How long the list may be read, in milliseconds: the API has no search, and platforms limit the time of a step.
   * @default no limit
   */
  searchMs?: number;
}

/**
 * The pages of the list, for a search. The first page may take longer than `searchMs`: a service that doesn't return it is
 * too slow, however many codes there are.
 * @throws ParameterError `search_limit` if there is no time left for the other pages: if the search ended there, "find or
 * create" would create a duplicate
 */
export async function* searchPages(
  qr: Pick<QrCodes, 'list'> & Partial<Pick<QrCodes, 'rateLimit'>>,
  query: QrCodeQuery,
  { searchMs, ...options }: FindOptions,
): AsyncGenerator<Page<QrCode>, void, undefined> {
  if (searchMs === undefined) {
    yield* qr.list(query, options).pages();
    return;
  }
  const limit = AbortSignal.timeout(searchMs);
  const controller = new AbortController();
  const signals = options.signal === undefined ? [] : [options.signal];
  const signal = AbortSignal.any([controller.signal, ...signals]);
  let pages = 0;
  limit.addEventListener('abort', () => {
    if (pages > 0) controller.abort();
  });
  try {
    for await (const page of qr.list(query, { ...options, signal }).pages()) {
      pages += 1;
      yield page;
      if (limit.aborted && page.nextCursor !== undefined) throw searchLimit(searchMs);
    }
  } catch (error) {
    // A lookup by ID may precede the search.
    const isOver = pages > 0 && (controller.signal.aborted || isTooMuch(error, pages + 1, qr.rateLimit));
    throw isOver && options.signal?.aborted !== true ? searchLimit(searchMs) : error;
  }
}

/** Share of the rate limit that a run may use up alone: concurrent requests stop before all of it is. */
const OWN_SHARE = 0.8;

/**
 * Whether a run failed for what it read itself, so that it would fail again: its time is over, or it has used up the
 * rate limit almost alone. If it has read nothing, the service is too slow, or others have used up the limit.
 * @param requests number of requests that the run has made
 */
export function isTooMuch(error: unknown, requests: number, rateLimit: RateLimit | undefined): boolean {
  const isAlone = rateLimit !== undefined && requests >= rateLimit.limit * OWN_SHARE;
  const isUsedUp = isApiError(error) && error.status === 429 && isAlone;
  const isLate = isTransportError(error) && error.kind === 'deadline';
  return requests > 0 && (isUsedUp || isLate);
}

function searchLimit(ms: number): ParameterError {
  return new ParameterError(`This workspace has more QR codes than can be searched in ${duration(ms)}.`, {
    code: 'search_limit',
    parameter: INPUTS.qrCodeId.label,
    advice: "Use the QR code's ID.",
  });
}

/** Whether an error says that there was no time to read the whole list. */
export function isSearchLimit(error: unknown): error is ParameterError {
  return isParameterError(error) && error.code === 'search_limit';
}
