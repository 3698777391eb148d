import type { Dimension } from '../config/scanDimensions.ts';
import type { Database } from './database.ts';
import { toRecord, type Row } from './toRecord.ts';

/** Details of a visit; null if unknown. */
export type Visit = Record<Dimension, string | null>;

/** A stored scan, without anything that identifies the visitor. */
export interface Scan {
  /** Sequence number in the history. */
  seq: number;
  id: string;
  qrId: string;
  /** Milliseconds since the epoch. */
  scannedAt: number;
  visit: Visit;
}

/** Scan history (API text, "Scan history"). */
export function scanTable({ sqlite, ids }: Database) {
  const insert = sqlite.prepare('INSERT INTO scans (id, qr_id, scanned_at, dimensions) VALUES (?, ?, ?, ?)');
  const page = sqlite.prepare(
    `SELECT * FROM scans WHERE seq > :after AND scanned_at >= :since
       AND seq < coalesce((SELECT min(seq) FROM scans WHERE scanned_at > :until), 9000000000000000)
     ORDER BY seq LIMIT :count`,
  );
  const latest = sqlite.prepare('SELECT * FROM scans WHERE seq < ? ORDER BY seq DESC LIMIT ?');
  return {
    record(qrId: string, scannedAt: number, visit: Visit): void {
      insert.run(ids.newId('scan'), qrId, scannedAt, JSON.stringify(visit));
    },
    /** Newest first, starting before this sequence number. */
    latest: (before: number, count: number): Scan[] => latest.all(before, count).map(scan),
    /** Scans in the order in which they happened, up to the first one after `until`, so that a cursor skips none. */
    walk(query: { after: number; since: number; until: number; count: number }): Scan[] {
      return page.all(query).map(scan);
    },
  };
}

function scan(row: Row): Scan {
  const { dimensions, ...rest } = toRecord(row) as Omit<Scan, 'visit'> & { dimensions: string };
  return { ...rest, visit: JSON.parse(dimensions) as Visit };
}
