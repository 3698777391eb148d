import { ApiError } from '../errors/ApiError.ts';

/** Rows to request per page: the API text shows neither a default nor a maximum ("Limits", gaps). */
const DEFAULT_ROWS = 100;
/** Rows to request if the service refuses that many. */
const FALLBACK_ROWS = 50;

/** Chooses how many rows to request, and remembers what the service accepted. */
export class PageSize {
  #rows = DEFAULT_ROWS;

  /** Requests the caller's page size. Without one, requests 100 rows, or 50 if the service refuses that many. */
  async fetch<P>(limit: number | undefined, fetchPage: (limit: number) => Promise<P>): Promise<P> {
    if (limit !== undefined) return fetchPage(limit);
    try {
      return await fetchPage(this.#rows);
    } catch (error) {
      if (this.#rows === FALLBACK_ROWS || !mayRefuseLimit(error)) throw error;
      const page = await fetchPage(FALLBACK_ROWS);
      this.#rows = FALLBACK_ROWS;
      return page;
    }
  }
}

/** The shape of `details` isn't documented, so any 422 except for the cursor may be about the limit. */
function mayRefuseLimit(error: unknown): boolean {
  return error instanceof ApiError && error.status === 422 && error.code !== 'invalid_cursor';
}
