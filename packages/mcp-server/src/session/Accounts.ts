import type { Account, QrServiceClient } from '@qr-service/core';

/** How long the account is remembered, in milliseconds. */
const LIFETIME_MS = 60_000;
/** The same for a failure to read it: stateless HTTP starts a session with each request. */
const FAILURE_LIFETIME_MS = 5_000;
/** How long the start of a session waits for it, in milliseconds. */
const WAIT_MS = 1_500;

/** The account of the API key, for the start of sessions. A slow or absent service never keeps one from starting. */
export class Accounts {
  readonly #client: Pick<QrServiceClient, 'me'>;
  readonly #now: () => number;
  #reading: { expiresAt: number; account: Promise<Account | undefined> } | undefined;

  constructor(client: Pick<QrServiceClient, 'me'>, now: () => number = Date.now) {
    this.#client = client;
    this.#now = now;
  }

  /** The account, read at most a minute ago; undefined if the service doesn't respond in time. */
  async atStart(): Promise<Account | undefined> {
    if (this.#reading === undefined || this.#now() >= this.#reading.expiresAt) {
      const account = this.#client.me({ timeoutMs: WAIT_MS }).catch(() => undefined);
      const reading = { expiresAt: this.#now() + LIFETIME_MS, account };
      this.#reading = reading;
      void account.then((read) => {
        if (read === undefined) reading.expiresAt = this.#now() + FAILURE_LIFETIME_MS;
      });
    }
    return this.#reading.account;
  }
}
