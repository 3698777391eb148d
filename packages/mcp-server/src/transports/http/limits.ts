/** Limits of the HTTP transport. A client that exceeds one gets a response that says so. */
export interface HttpLimits {
  /** Open sessions of clients before protocol 2026-07-28. */
  sessions: number;
  /** Milliseconds without a request after which a session ends. */
  sessionIdleMs: number;
  /** Requests in progress. */
  requests: number;
  /** Open `subscriptions/listen` streams. */
  subscriptions: number;
  /** Open connections; further ones are closed at once. */
  connections: number;
  /** Size of a request body. */
  bodyBytes: number;
  /** Nesting of the JSON in a request body. */
  depth: number;
  /** Milliseconds for a client to send the headers of a request. */
  headersMs: number;
  /** Milliseconds for a client to send a whole request. */
  requestMs: number;
  /** Milliseconds for a client to read what it was sent. */
  stallMs: number;
  /** Milliseconds for requests in progress to finish when the server stops, before they are canceled. */
  shutdownMs: number;
}

export const HTTP_LIMITS: HttpLimits = {
  sessions: 64,
  sessionIdleMs: 30 * 60_000,
  requests: 64,
  subscriptions: 64,
  connections: 256,
  bodyBytes: 1024 * 1024,
  depth: 64,
  headersMs: 10_000,
  requestMs: 30_000,
  stallMs: 30_000,
  shutdownMs: 5_000,
};
