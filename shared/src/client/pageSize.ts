import { ApiError } from '../errors/ApiError.ts';

/** Rows requested for a page: the API text shows neither default nor maximum ("Limits", gaps). */
const DEFAULT_ROWS = 100;
/** Rows requested where the service refuses that. */
const FALLBACK_ROWS = 50;

/** Chooses how many rows to request, and remembers what the service accepted. */
export class PageSize {
  #rows = DEFAULT_ROWS;

  /** Requests the caller's page size; without one, 100 rows or, where the service refuses them, 50. */
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

/** The shape of `details` isn't documented, so any refused input but the cursor may be the limit: a retry shows. */
function mayRefuseLimit(error: unknown): boolean {
  return error instanceof ApiError && error.status === 422 && error.code !== 'invalid_cursor';
}
