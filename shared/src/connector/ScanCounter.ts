import type { ScanQuery } from '../client/Scans.ts';
import type { ScanRow } from '../contract/types.ts';
import { identifyScan, type ScanOutputRow } from '../wire/scan.ts';
import { invalidParameter } from './inputs/ParameterError.ts';
import { MAX_LATENESS_MS } from './qrCodes/CodeMemory.ts';
import { normalize } from './qrCodes/qrCode.ts';
import { scannedCodeId } from './scannedCodes.ts';

/** Which scans are counted. */
export interface ScanFilter {
  /** Only those of the code with this ID. */
  qrCodeId?: string | undefined;
  /** Only from this time on, in ISO 8601 UTC. */
  since?: string | undefined;
  /** Only before this time, in ISO 8601 UTC. */
  until?: string | undefined;
  /** In which days start, as an IANA name. Default: UTC. */
  timeZone?: string | undefined;
}

/** Counts scans while they are read, and keeps only their IDs: rows with the same ID, or alike in every field, are one scan. */
export class ScanCounter {
  /** Scans that were read, whether they match or not. */
  read = 0;
  /** Scans that match. */
  scans = 0;
  /** Scans that don't say which code they are of. With a code in the filter, they are in no other count. */
  withoutCode = 0;
  /** Time of the last scan that was read, in ISO 8601 UTC. */
  readUntil: string | undefined;
  readonly #filter: ScanFilter;
  readonly #ids = new Set<string>();
  readonly #byCode = new Map<string, number>();
  readonly #byDay = new Map<string, number>();
  readonly #dayOf: (time: string) => string;
  #readFrom: string | undefined;

  constructor(filter: ScanFilter) {
    this.#filter = { ...filter, qrCodeId: normalize(filter.qrCodeId) };
    this.#dayOf = daysIn(filter.timeZone);
  }

  /** The list to read. Whether `since` includes its own instant is open (docs/api.md#lists), so it starts a millisecond earlier. */
  get query(): ScanQuery {
    const { since } = this.#filter;
    return since === undefined ? {} : { since: new Date(Date.parse(since) - 1).toISOString() };
  }

  /** Counts a row, and returns it if it matches. */
  add(row: ScanRow): ScanOutputRow | undefined {
    const scan = identifyScan(row, this.#ids);
    if (scan === undefined) return undefined;
    const { qrCodeId, since = '', until } = this.#filter;
    const time = scan.scannedAt ?? undefined;
    this.read += 1;
    this.readUntil = time ?? this.readUntil;
    this.#readFrom ??= time;
    // One without a time is never too early or too late.
    if (time !== undefined && (time < since || (until !== undefined && time >= until))) return undefined;
    const id = scannedCodeId(scan);
    if (id === '') this.withoutCode += 1;
    if (qrCodeId !== '' && id !== qrCodeId) return undefined;
    this.scans += 1;
    increment(this.#byCode, id);
    increment(this.#byDay, time === undefined ? '' : this.#dayOf(time));
    return scan;
  }

  /**
   * Whether the scans on further pages are too late to be counted. A scan may become visible minutes after the next ones, so
   * only a longer time shows that the rows go forward, and that no earlier one follows.
   */
  get isOver(): boolean {
    const { until } = this.#filter;
    if (until === undefined || this.readUntil === undefined || this.#readFrom === undefined) return false;
    const last = Date.parse(this.readUntil);
    const isForward = last > Date.parse(this.#readFrom) + MAX_LATENESS_MS;
    return isForward && last >= Date.parse(until) + MAX_LATENESS_MS;
  }

  /** Matching scans by the ID of their code, the most scanned first; under '', those that don't name it. */
  byCode(): [id: string, scans: number][] {
    return [...this.#byCode].sort(([, a], [, b]) => b - a);
  }

  /** Matching scans by day (`2026-01-31`), the earliest first; under '', those without a time. */
  byDay(): [day: string, scans: number][] {
    return [...this.#byDay].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

/** @throws ParameterError if a period ends before it starts, in the words of its end's label */
export function checkPeriod({ since, until }: ScanFilter, labels: { since: string; until: string }): void {
  if (since === undefined || until === undefined || until > since) return;
  const advice = 'Scans at this time are left out. For one day, use the start of the next day.';
  throw invalidParameter(until, { label: labels.until }, `later than ${labels.since} (${since})`, advice);
}

/** The function that tells the day of a time in ISO 8601 UTC, as `2026-01-31`: the Swedish form. */
function daysIn(timeZone = 'UTC'): (time: string) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  const dayOf = (time: string) => format.format(Date.parse(time));
  const days = new Map<string, string | undefined>();
  let hour = '-';
  return (time) => {
    // Parsing and formatting a time is slow, and most hours are within a day. A scan often has the hour of the last one.
    if (!time.startsWith(hour)) hour = time.slice(0, time.indexOf(':'));
    if (!days.has(hour)) {
      const day = dayOf(`${hour}:00:00.000Z`);
      days.set(hour, day === dayOf(`${hour}:59:59.999Z`) ? day : undefined);
    }
    return days.get(hour) ?? dayOf(time);
  };
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
