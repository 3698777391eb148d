import { isApiError } from '@qr-service/core';
import { isOwnError, isServiceUnavailable } from '@qr-service/core/connector';

/** Codes of refusals that concern the API key or the workspace, whatever the request. */
const GENERAL_CODES: readonly string[] = ['insufficient_scope', 'ip_not_allowed', 'quota_exceeded'];

/** How many rows in a row may fail because the service is down before the others aren't sent. */
const MAX_UNAVAILABLE = 3;

/** Remembers a failure of one row of a call that every other row would have as well: the others aren't sent. */
export function createGeneralFailure() {
  let unavailable = 0;
  let general: unknown;
  return {
    /** The failure; undefined if there was none. A quota that is used up doesn't concern a row for an existing code. */
    errorFor({ isExisting }: { isExisting: boolean }): unknown {
      const isQuota = isApiError(general) && general.code === 'quota_exceeded';
      return isQuota && isExisting ? undefined : general;
    },
    /** Records what became of a row: why it failed, or undefined. */
    note(error: unknown): void {
      unavailable = isServiceUnavailable(error) ? unavailable + 1 : 0;
      // A firewall may refuse one row because of its content, and the service because of its code.
      const isGeneral =
        isApiError(error) &&
        isOwnError(error, 401, 403, 429) &&
        (error.status !== 403 || GENERAL_CODES.includes(error.code));
      if (isGeneral || unavailable >= MAX_UNAVAILABLE) general = error;
    },
  };
}
