import type { Database } from './state.ts';

/** What happened to a request with an Idempotency-Key. */
export type IdempotencyOutcome = 'new' | 'replayed' | 'conflict' | 'in progress';

/** Headers and the start of a body, without the API key. */
export interface RecordedMessage {
  headers: Record<string, string>;
  /** Null if there was no body, or it isn't text. */
  body: string | null;
}

/** Details of a request that only its handlers know. */
export interface RequestNotes {
  requestBody: string;
  responseBody: string | null;
  idempotency: { key: string; outcome: IdempotencyOutcome };
  /** Short description of the injected fault. */
  fault: string;
  failure: { code: string; fields: string[] };
}

/** A request and its response. */
export interface RequestEntry {
  /** Milliseconds since the epoch. */
  at: number;
  method: string;
  /** Including the query. */
  path: string;
  /** 0 if the connection was cut. */
  status: number;
  requestId: string;
  durationMs: number;
  /** Name of the API key; null if it is missing or unknown. */
  keyName: string | null;
  /** Null if the request had no Idempotency-Key, or was rejected before the key was checked. */
  idempotency: RequestNotes['idempotency'] | null;
  fault: string | null;
  /** Code of the error that it failed with; null for none. */
  code: string | null;
  /** The invalid fields, or the missing scope. */
  fields: string[];
  request: RecordedMessage;
  response: RecordedMessage;
}

const CAPACITY = 500;

/** Adds a request to the latest ones. */
export function addRequest({ session }: Database, entry: RequestEntry): void {
  session.requests.push(entry);
  if (session.requests.length > CAPACITY) session.requests.shift();
  session.requestCount += 1;
}
