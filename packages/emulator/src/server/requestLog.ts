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
}

/** The latest requests. */
export interface RequestLog {
  add(entry: RequestEntry): void;
  /** Oldest first. */
  recent(): RequestEntry[];
  /** How many there have been in all. */
  count(): number;
}

const KEPT = 500;

export function createRequestLog(): RequestLog {
  const ring: RequestEntry[] = [];
  let count = 0;
  return {
    add(entry) {
      ring[count % KEPT] = entry;
      count += 1;
    },
    recent: () => {
      const start = count > KEPT ? count % KEPT : 0;
      return [...ring.slice(start), ...ring.slice(0, start)];
    },
    count: () => count,
  };
}
