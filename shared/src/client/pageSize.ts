import { ApiError } from './ApiError.ts';

/** Rows asked for a page: the API text shows neither default nor maximum ("Limits", gaps). */
const PAGE_SIZES = [100, 50] as const;

/** Asks for the caller's page size, or for 100 rows and, where the service refuses that, for 50. */
export async function withPageSize<P>(
  limit: number | undefined,
  fetchPage: (limit: number) => Promise<P>,
): Promise<P> {
  if (limit !== undefined) return fetchPage(limit);
  try {
    return await fetchPage(PAGE_SIZES[0]);
  } catch (error) {
    if (error instanceof ApiError && refusesLimit(error)) return fetchPage(PAGE_SIZES[1]);
    throw error;
  }
}

/** The shape of `details` is not shown, so any mention of the parameter in it, or in the text, counts. */
function refusesLimit(error: ApiError): boolean {
  return error.status === 422 && /\blimit\b/i.test(`${JSON.stringify(error.details ?? {})} ${error.message}`);
}
