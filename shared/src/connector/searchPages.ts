import type { QrCodeQuery, QrCodes } from '../client/QrCodes.ts';
import type { CallOptions } from '../client/RequestExecutor.ts';
import type { Page, QrCode } from '../contract/types.ts';
import { isApiError } from '../errors/ApiError.ts';
import { duration } from '../errors/explain.ts';
import { isTransportError } from '../errors/TransportError.ts';
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
    // If this search alone has used up the rate limit, another one would as well.
    const isTooLong = isApiError(error) && error.status === 429 && pages >= (qr.rateLimit?.limit ?? Infinity);
    const isLate = isTransportError(error) && error.kind === 'deadline';
    const isOver = controller.signal.aborted || isLate || isTooLong;
    throw pages > 0 && isOver && options.signal?.aborted !== true ? searchLimit(searchMs) : error;
  }
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
