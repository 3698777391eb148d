import type { DeliveryFaultKind } from '../faults/deliveryFaults.ts';
import type { Database } from './database.ts';

/** One try to deliver an event. */
export interface Attempt {
  /** Counts from 1. */
  number: number;
  /** Milliseconds since the epoch. */
  startedAt: number;
  durationMs: number;
  /** The receiver's answer; null when none came. */
  status: number | null;
  /** Why no answer came. */
  error: string | null;
  /** As they were sent. */
  headers: Record<string, string>;
  /** What was made to go wrong; null for nothing. */
  fault: DeliveryFaultKind | null;
  /** The body where it was not the event's own; null where it was. */
  sentBody: string | null;
}

/** Every try of every delivery. */
export type Attempts = ReturnType<typeof attemptTable>;

export function attemptTable({ sqlite }: Database) {
  const insert = sqlite.prepare(
    `INSERT INTO attempts (delivery_id, number, started_at, duration_ms, status, error, headers, fault, sent_body)
     VALUES (:id, (SELECT count(*) + 1 FROM attempts WHERE delivery_id = :id), ?, ?, ?, ?, ?, ?, ?)`,
  );
  const of = sqlite.prepare('SELECT * FROM attempts WHERE delivery_id = ? ORDER BY number');
  return {
    record(deliveryId: string, attempt: Omit<Attempt, 'number'>): void {
      const { startedAt, durationMs, status, error, headers, fault, sentBody } = attempt;
      const sent = JSON.stringify(headers);
      insert.run({ id: deliveryId }, startedAt, durationMs, status, error, sent, fault, sentBody);
    },
    /** First one first. */
    of: (deliveryId: string): Attempt[] =>
      of.all(deliveryId).map((row) => ({
        number: row['number'] as number,
        startedAt: row['started_at'] as number,
        durationMs: row['duration_ms'] as number,
        status: row['status'] as number | null,
        error: row['error'] as string | null,
        headers: JSON.parse(row['headers'] as string) as Record<string, string>,
        fault: row['fault'] as DeliveryFaultKind | null,
        sentBody: row['sent_body'] as string | null,
      })),
  };
}
