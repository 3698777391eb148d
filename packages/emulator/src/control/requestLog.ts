import { type IdempotencyOutcome } from '../domain/idempotency.ts';
/** Headers and the beginning of a body, without the API key. */
export interface RecordedMessage {
  headers: Record<string, string>;
  /** Null where there was none, or it is no text. */
  body: string | null;
}

/** What only the work on a request knows of it. */
export interface RequestNotes {
  requestBody: string;
  responseBody: string | null;
  idempotency: { key: string; outcome: IdempotencyOutcome };
  /** What was made to go wrong, in a few words. */
  fault: string;
}

/** A request that was answered. */
export interface RequestEntry {
  /** Milliseconds since the epoch. */
  at: number;
  method: string;
  /** With its query. */
  path: string;
  /** 0 where the connection was cut. */
  status: number;
  requestId: string;
  durationMs: number;
  /** Name of the API key; null where it is missing or unknown. */
  keyName: string | null;
  /** Null where the request had no Idempotency-Key, or was refused before it counted. */
  idempotency: RequestNotes['idempotency'] | null;
  fault: string | null;
  request: RecordedMessage;
  response: RecordedMessage;
}

/** The latest requests. */
export interface RequestLog {
  add(entry: RequestEntry): void;
  /** Oldest first. */
  recent(): RequestEntry[];
  /** How many there have been in all. */
  count(): number;
  /** Remembers the requests, and returns what brings them back. */
  save(): () => void;
}

const CAPACITY = 500;

export function createRequestLog(): RequestLog {
  let ring: RequestEntry[] = [];
  let count = 0;
  return {
    add(entry) {
      ring[count % CAPACITY] = entry;
      count += 1;
    },
    recent: () => {
      const start = count > CAPACITY ? count % CAPACITY : 0;
      return [...ring.slice(start), ...ring.slice(0, start)];
    },
    count: () => count,
    save() {
      const saved = { ring: [...ring], count };
      return () => {
        ring = [...saved.ring];
        count = saved.count;
      };
    },
  };
}
