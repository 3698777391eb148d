import type { QrServiceClient } from '@qr-service/core';
import { isOwnError, isServiceUnavailable } from '@qr-service/core/connector';

/** A failure of one row of a call that every other row would have as well: the others aren't sent. */
export class GeneralFailure {
  readonly #client: Pick<QrServiceClient, 'silentSince'>;
  #error: unknown;

  constructor(client: Pick<QrServiceClient, 'silentSince'>) {
    this.#client = client;
  }

  /** The failure; undefined if there was none. */
  get error(): unknown {
    return this.#error;
  }

  /** Records why a row failed. */
  note(error: unknown): void {
    const isSilent = isServiceUnavailable(error) && this.#client.silentSince !== undefined;
    // A firewall may refuse one row because of its content.
    if (isSilent || isOwnError(error, 401, 403, 429)) this.#error = error;
  }
}
