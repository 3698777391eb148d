import { createHash } from 'node:crypto';
import type { ScanRow } from '../contract/types.ts';
import { stableJson } from './stableJson.ts';
import { text } from './record.ts';

const ID_KEYS = ['id', 'scanId'] as const;
const TIME_KEYS = ['scannedAt', 'occurredAt', 'timestamp', 'createdAt', 'time', 'at', 'date'] as const;

/** The scan's own id, else a stable one made of the whole row (API text, gaps: scan row fields). */
export function scanId(row: ScanRow): string {
  for (const key of ID_KEYS) {
    const id = row[key];
    if (typeof id === 'number') return String(id);
    if (text(id) !== undefined) return id as string;
  }
  return `scan-${createHash('sha256').update(stableJson(row)).digest('hex').slice(0, 32)}`;
}

/** When the scan happened, as ISO 8601 UTC, or undefined when no field of the row says it. */
export function scanTime(row: ScanRow): string | undefined {
  for (const key of TIME_KEYS) {
    const date = toDate(row[key]);
    if (date !== undefined) return date.toISOString();
  }
  return undefined;
}

function toDate(value: unknown): Date | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const date = new Date(typeof value === 'number' && value < 1e11 ? value * 1000 : value);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
