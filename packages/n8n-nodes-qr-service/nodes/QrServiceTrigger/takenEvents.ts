const KEPT_MS = 24 * 60 * 60 * 1000;
const MAX_KEPT = 20_000;

/** The part of Node's response that shows what n8n did with a delivery. */
export interface DeliveryResponse {
  readonly statusCode: number;
  /** Whether n8n has responded, even if the sender has disconnected. */
  readonly writableEnded: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** An event that n8n has stored, or is storing as long as there is a response. */
interface Claim {
  /** When it is forgotten, in milliseconds since the epoch. */
  expiry: number;
  response?: DeliveryResponse;
}

/** What this process knows about events, oldest first. Concurrent deliveries would overwrite each other's static data. */
const claims = new Map<string, Claim>();

/**
 * Claims an event for a delivery. `storing`: n8n hasn't responded yet to another delivery of it. The claim is dropped if
 * n8n fails to store the event, as the service then sends it again. Only deliveries of the event share its key.
 */
export function claimEvent(
  key: string,
  response: DeliveryResponse,
  now: number = Date.now(),
): 'new' | 'duplicate' | 'storing' {
  for (const [oldest, { expiry }] of claims) {
    if (expiry > now && claims.size < MAX_KEPT) break;
    claims.delete(oldest);
  }
  const earlier = settle(key, claims.get(key));
  if (earlier !== undefined) return earlier.response === undefined ? 'duplicate' : 'storing';
  const claim: Claim = { expiry: now + KEPT_MS, response };
  claims.set(key, claim);
  response.once('close', () => settle(key, claim));
  return 'new';
}

/** Updates a claim once n8n has responded. Returns undefined if n8n failed to store the event. */
function settle(key: string, claim: Claim | undefined): Claim | undefined {
  if (claim?.response?.writableEnded !== true) return claim;
  const isStored = claim.response.statusCode < 300;
  // It holds the whole request.
  delete claim.response;
  if (isStored) return claim;
  if (claims.get(key) === claim) claims.delete(key);
  return undefined;
}
