import type { ScanRow } from '@qr-service/core';
import { identifyScans } from '@qr-service/core/connector';
import { scanRecord } from '../schemas/records.ts';

/** Codes or days that a result names; the others are counted together. */
const MAX_NAMED = 100;
const UNKNOWN = 'unknown';

/** Scans per code and per UTC day, so far. */
export type ScanCounts = ReturnType<typeof countScans>;

/** Which scans are counted: those of a code, from `since` on, before `until`, in ISO 8601 UTC. */
type ScanFilter = Record<'code' | 'since' | 'until', string | undefined>;

/** Counts scans per code and per UTC day. */
export function countScans({ code, since = '', until }: ScanFilter) {
  const seen = new Set<string>();
  const perCode = new Map<string, number>();
  const perDay = new Map<string, number>();
  const isPast = (time: string) => until !== undefined && time >= until;
  return {
    /** Scans that were read, whether they match or not. */
    read: 0,
    count: 0,
    /** Scans that may be of the code, but don't say so. */
    withoutCode: 0,
    /** Time of the last scan that was read. */
    readUntil: undefined as string | undefined,
    /** Counts a scan, and returns it if it matches. A row with the ID of an earlier one is the same scan. */
    add(row: ScanRow): Record<string, unknown> | undefined {
      const [scan] = identifyScans([row], seen);
      if (scan === undefined) return undefined;
      this.read += 1;
      const time = scan.scannedAt ?? undefined;
      this.readUntil = time ?? this.readUntil;
      // One without a time is never too early or too late.
      if (time !== undefined && (time < since || isPast(time))) return undefined;
      const record = scanRecord(scan);
      const { qrId } = record;
      if (code !== undefined && qrId === undefined) this.withoutCode += 1;
      if (code !== undefined && qrId !== code) return undefined;
      this.count += 1;
      increment(perCode, typeof qrId === 'string' ? qrId : UNKNOWN);
      increment(perDay, time?.slice(0, 10) ?? UNKNOWN);
      return record;
    },
    /** Whether the scans that follow are too late to be counted. */
    isOver(): boolean {
      return this.readUntil !== undefined && isPast(this.readUntil);
    },
    /** By ID, the most scanned first. */
    perCode: () =>
      named(
        [...perCode].sort(([, a], [, b]) => b - a),
        'other codes',
      ),
    /** By day, the latest first. */
    perDay: () => named([...perDay].sort().reverse(), 'earlier'),
  };
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** The first counts, and the sum of the others. */
function named(counts: [string, number][], others: string): Record<string, number> {
  const rest = counts.slice(MAX_NAMED).reduce((sum, [, count]) => sum + count, 0);
  return { ...Object.fromEntries(counts.slice(0, MAX_NAMED)), ...(rest > 0 && { [others]: rest }) };
}
