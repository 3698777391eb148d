import { isApiError, type QrServiceClient } from '@qr-service/core';
import { isOwnError, isServiceUnavailable } from '@qr-service/core/connector';

/** Codes of refusals that concern the API key or the workspace, whatever the request. */
const GENERAL_CODES: readonly string[] = ['insufficient_scope', 'ip_not_allowed', 'quota_exceeded'];

/** A failure of one row of a call that every other row would have as well: the others aren't sent. */
export class GeneralFailure {
  readonly #client: Pick<QrServiceClient, 'silentSince'>;
  #error: unknown;

  constructor(client: Pick<QrServiceClient, 'silentSince'>) {
    this.#client = client;
  }

  /** The failure; undefined if there was none. A quota that is used up doesn't concern a row for an existing code. */
  errorFor({ isExisting }: { isExisting: boolean }): unknown {
    const isQuota = isApiError(this.#error) && this.#error.code === 'quota_exceeded';
    return isQuota && isExisting ? undefined : this.#error;
  }

  /** Records why a row failed. */
  note(error: unknown): void {
    const isSilent = isServiceUnavailable(error) && this.#client.silentSince !== undefined;
    // A firewall may refuse one row because of its content, and the service because of its code.
    const isGeneral =
      isApiError(error) &&
      isOwnError(error, 401, 403, 429) &&
      (error.status !== 403 || GENERAL_CODES.includes(error.code));
    if (isSilent || isGeneral) this.#error = error;
  }
}
