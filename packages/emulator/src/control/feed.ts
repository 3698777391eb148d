import { randomUUID } from 'node:crypto';
import type { DeliveryReport } from '../delivery/dispatcher.ts';
import type { RequestEntry } from './requestLog.ts';

/** A request, as the feed reports it. */
type RequestReport = { kind: 'request' } & Pick<
  RequestEntry,
  'at' | 'method' | 'path' | 'status' | 'requestId' | 'durationMs' | 'keyName' | 'code' | 'fields' | 'fault'
>;

/** What the feed reports: each request to the service and each attempt of a delivery. */
type Report = RequestReport | ({ kind: 'delivery' } & DeliveryReport);

/** A report with its number. */
export type FeedEntry = Report & {
  /** Identifies this run of the emulator. */
  run: string;
  /** Counts the run's reports from 1. */
  seq: number;
  /** The report as one line of text. */
  line: string;
};

/** The first entry that a reader gets: the run, and the number of the last report before the next entry. */
export interface FeedStart {
  kind: 'start';
  run: string;
  seq: number;
}

/** Where to resume reading. */
export interface FeedPlace {
  /** Run of the last entry that was read. If it's another one, reading starts at the first report of this run. */
  run?: string | undefined;
  /** Number of the last entry that was read. */
  after?: number | undefined;
  /** Ends reading. */
  signal?: AbortSignal | undefined;
}

/** Everything that happens in the emulator, live. */
export interface Feed {
  add(report: Report, line: string): void;
  /** New reports as they happen. Of those missed since `place`, the latest 1,000. */
  read(place: FeedPlace): AsyncIterable<FeedStart | FeedEntry>;
}

const CAPACITY = 1_000;

/** @param log called with the line of each report */
export function createFeed(log: (line: string) => void): Feed {
  const run = randomUUID();
  let latest: FeedEntry[] = [];
  let seq = 0;
  const waiting = new Set<() => void>();

  function nextReport(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        waiting.delete(done);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      waiting.add(done);
      signal?.addEventListener('abort', done);
    });
  }

  return {
    add(report, line) {
      log(line);
      latest.push({ ...report, run, seq: ++seq, line });
      // In blocks, because each removal moves the whole list.
      if (latest.length >= 2 * CAPACITY) latest = latest.slice(-CAPACITY);
      for (const wake of [...waiting]) wake();
    },
    async *read({ run: readRun, after, signal }) {
      let read = readRun === undefined ? seq : readRun === run ? Math.min(after ?? seq, seq) : 0;
      yield { kind: 'start', run, seq: read };
      while (signal?.aborted !== true) {
        const next = latest.slice(-CAPACITY).find((entry) => entry.seq > read);
        if (next === undefined) await nextReport(signal);
        else {
          read = next.seq;
          yield next;
        }
      }
    },
  };
}
