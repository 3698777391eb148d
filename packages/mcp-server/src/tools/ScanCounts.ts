import type { ScanRow } from '@qr-service/core';
import { scanRows } from '@qr-service/core/connector';
import { scanRecord } from '../schemas/records.ts';

/** Codes or days that a result names; the others are counted together. */
const MAX_NAMED = 100;
const UNKNOWN = 'unknown';

/** Which scans are meant: those of a code, from `since` on, before `until`. Times are ISO 8601 UTC. */
export interface ScanFilter {
  code: string | undefined;
  since: string | undefined;
  until: string | undefined;
}

/** Counts scans per code and per UTC day. */
export class ScanCounts {
  /** Scans that were read, whether they match or not. */
  read = 0;
  count = 0;
  /** Scans that may be of the code, but don't say so. */
  withoutCode = 0;
  /** Time of the last scan that was read. */
  readUntil: string | undefined;
  readonly #filter: ScanFilter;
  /** How many rows had an ID so far. */
  readonly #ids = new Map<string, number>();
  readonly #perCode = new Map<string, number>();
  readonly #perDay = new Map<string, number>();

  constructor(filter: ScanFilter) {
    this.#filter = filter;
  }

  /** Counts a scan, and returns it if it matches. A row with the ID of an earlier one is the same scan. */
  add(row: ScanRow): Record<string, unknown> | undefined {
    const [scan] = scanRows([row], this.#ids);
    if (scan === undefined) return undefined;
    this.read += 1;
    this.readUntil = scan.scannedAt ?? this.readUntil;
    const { code, since = '' } = this.#filter;
    const time = scan.scannedAt ?? undefined;
    // One without a time is never too early or too late.
    if (time !== undefined && (time < since || this.isPast(time))) return undefined;
    const record = scanRecord(scan);
    const { qrId } = record;
    if (code !== undefined && qrId === undefined) this.withoutCode += 1;
    if (code !== undefined && qrId !== code) return undefined;
    this.count += 1;
    increment(this.#perCode, typeof qrId === 'string' ? qrId : UNKNOWN);
    increment(this.#perDay, time?.slice(0, 10) ?? UNKNOWN);
    return record;
  }

  /** Whether a time is too late to be counted. */
  isPast(time: string | undefined): boolean {
    const { until } = this.#filter;
    return until !== undefined && time !== undefined && time >= until;
  }

  /** By ID, the most scanned first. */
  perCode(): Record<string, number> {
    const sorted = [...this.#perCode].sort(([, a], [, b]) => b - a);
    return named(sorted, 'other codes');
  }

  /** By day, the latest first. */
  perDay(): Record<string, number> {
    return named([...this.#perDay].sort().reverse(), 'earlier');
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** The first counts, and the sum of the others. */
function named(counts: [string, number][], others: string): Record<string, number> {
  const rest = counts.slice(MAX_NAMED).reduce((sum, [, count]) => sum + count, 0);
  return { ...Object.fromEntries(counts.slice(0, MAX_NAMED)), ...(rest > 0 && { [others]: rest }) };
}
