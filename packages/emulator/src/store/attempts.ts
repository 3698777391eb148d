import type { DeliveryFaultKind } from '../faults/deliveryFaults.ts';
import type { Database } from './database.ts';
import { toRecord } from './toRecord.ts';

/** One attempt to deliver an event. */
export interface Attempt {
  /** Counts from 1. */
  number: number;
  /** Milliseconds since the epoch. */
  startedAt: number;
  durationMs: number;
  /** Status of the receiver's response; null if it didn't respond. */
  status: number | null;
  /** Why there was no response; null if there was one. */
  error: string | null;
  /** As they were sent. */
  headers: Record<string, string>;
  /** The injected fault; null for none. */
  fault: DeliveryFaultKind | null;
  /** The body that was sent if a fault changed it; otherwise null. */
  sentBody: string | null;
}

/** Every attempt of every delivery. */
export function attemptTable({ sqlite }: Database) {
  const insert = sqlite.prepare(
    `INSERT INTO attempts (delivery_id, number, started_at, duration_ms, status, error, headers, fault, sent_body)
     VALUES (:id, (SELECT count(*) + 1 FROM attempts WHERE delivery_id = :id), ?, ?, ?, ?, ?, ?, ?)`,
  );
  const of = sqlite.prepare(
    `SELECT number, started_at, duration_ms, status, error, headers, fault, sent_body
     FROM attempts WHERE delivery_id = ? ORDER BY number`,
  );
  return {
    record(deliveryId: string, attempt: Omit<Attempt, 'number'>): void {
      const { startedAt, durationMs, status, error, headers, fault, sentBody } = attempt;
      const sent = JSON.stringify(headers);
      insert.run({ id: deliveryId }, startedAt, durationMs, status, error, sent, fault, sentBody);
    },
    /** In the order in which they were made. */
    of: (deliveryId: string): Attempt[] =>
      of.all(deliveryId).map((row) => {
        const { headers, ...attempt } = toRecord(row) as Omit<Attempt, 'headers'> & { headers: string };
        return { ...attempt, headers: JSON.parse(headers) as Attempt['headers'] };
      }),
  };
}
