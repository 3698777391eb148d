import type { Account, QrServiceClient } from '@qr-service/core';

/** How long the account is remembered, in milliseconds. */
const LIFETIME_MS = 60_000;
/** The same for a failure to read it: over HTTP, each request starts a server. */
const FAILURE_LIFETIME_MS = 5_000;
/** How long the start of a session waits for it, in milliseconds. */
const WAIT_MS = 1_500;

/**
 * Returns a function that reads the API key's account at the start of sessions, at most once a minute; undefined if the
 * service doesn't respond in time: a slow or absent service never keeps a session from starting.
 */
export function accountReader(client: Pick<QrServiceClient, 'me'>, now = Date.now) {
  let reading: Promise<Account | undefined> | undefined;
  let expiresAt = 0;
  return () => {
    if (reading !== undefined && now() < expiresAt) return reading;
    expiresAt = now() + LIFETIME_MS;
    reading = client.me({ totalTimeoutMs: WAIT_MS }).catch(() => {
      expiresAt = now() + FAILURE_LIFETIME_MS;
      return undefined;
    });
    return reading;
  };
}
