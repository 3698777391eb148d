import type { PolledRow } from '../../nodes/QrServicePollingTrigger/rows.ts';

/** The time this many milliseconds after the start. */
export const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();

/** A row last changed this many milliseconds after the start, or at an unknown time. */
export function seen(id: string, ms?: number): PolledRow {
  return { row: { id }, id, time: ms === undefined ? undefined : Date.parse(at(ms)) };
}

export const ids = (rows: PolledRow[]) => rows.map(({ id }) => id);
