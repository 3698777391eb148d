import type { ScanCounter } from '@qr-service/core/connector';

/** Codes or days that a result names; the others are counted together. */
const MAX_NAMED = 100;
const UNKNOWN = 'unknown';

/** Counts as results contain them. */
export type Counts = Record<string, number>;

/** Scans by the ID of their code, the most scanned first. */
export const perCode = (counter: ScanCounter) => named(counter.byCode(), 'other codes');

/** Scans by day, the latest first. */
export const perDay = (counter: ScanCounter) => named(counter.byDay().reverse(), 'earlier');

/** The first counts, and the sum of the others. */
function named(counts: [string, number][], others: string): Counts {
  const shown = counts.slice(0, MAX_NAMED).map(([name, count]): [string, number] => [name || UNKNOWN, count]);
  const rest = counts.slice(MAX_NAMED).reduce((sum, [, count]) => sum + count, 0);
  return Object.fromEntries(rest > 0 ? [...shown, [others, rest]] : shown);
}
