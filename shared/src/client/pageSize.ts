import { ApiError } from '../errors/ApiError.ts';

/** Rows asked for a page: the API text shows neither default nor maximum ("Limits", gaps). */
const USUAL = 100;
/** Rows asked for where the service refuses that. */
const SMALL = 50;

/** Chooses how many rows to ask for, and remembers what the service took. */
export class PageSize {
  #rows = USUAL;

  /** Asks for the caller's page size, or for 100 rows and, where the service refuses them, for 50. */
  async fetch<P>(limit: number | undefined, fetchPage: (limit: number) => Promise<P>): Promise<P> {
    if (limit !== undefined) return fetchPage(limit);
    try {
      return await fetchPage(this.#rows);
    } catch (error) {
      if (this.#rows === SMALL || !mayRefuseLimit(error)) throw error;
      const page = await fetchPage(SMALL);
      this.#rows = SMALL;
      return page;
    }
  }
}

/** The shape of `details` is not shown, so any refused input but the cursor may mean the limit: asking once more tells. */
function mayRefuseLimit(error: unknown): boolean {
  return error instanceof ApiError && error.status === 422 && error.code !== 'invalid_cursor';
}
