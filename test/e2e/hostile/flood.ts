import fc from 'fast-check';
import { send, type RawResponse, type RawRequest } from './rawRequest.ts';

/** Requests that wait for an answer at the same time. */
const CONCURRENCY = 24;
const BATCH = 500;

/** A request that is made when it is sent, so that what it signs is fresh. */
export interface HostileRequest<Context> {
  /** What is hostile about it. */
  kind: string;
  build: (context: Context) => RawRequest;
}

/** An answer, judged. */
export interface Judgement {
  /** It in a few words, which stand in the list. */
  outcome: string;
  /** Why it must never be given. */
  problem?: string;
}

/** What was answered to how many requests of each kind. */
export interface Tally {
  sent: number;
  /** By kind, and then by what was said. */
  responses: Map<string, Map<string, number>>;
  /** Each once. */
  problems: Set<string>;
}

/** What an attack is told. */
export interface Attack {
  /** Requests to send. */
  count: number;
  seed: number;
  log: (line: string) => void;
}

/** How a flood is sent. */
export interface FloodSettings<Context> {
  port: number;
  context: Context;
  requests: fc.Arbitrary<HostileRequest<Context>>;
  count: number;
  seed: number;
  judge: (response: RawResponse, kind: string) => Judgement;
  /** Told how many were sent, once for each batch. */
  onProgress?: (sent: number) => void | Promise<void>;
}

/** Sends so many hostile requests; the same ones again for the same seed. */
export async function flood<Context>(settings: FloodSettings<Context>): Promise<Tally> {
  const { port, context, requests, count, seed, judge, onProgress } = settings;
  const tally: Tally = { sent: 0, responses: new Map(), problems: new Set() };
  for (let begin = 0; begin < count; begin += BATCH) {
    const batch = fc.sample(requests, { numRuns: Math.min(BATCH, count - begin), seed: seed + begin });
    const next = batch.values();
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        for (const request of next) {
          const response = await send(port, request.build(context));
          note(tally, request.kind, judge(response, request.kind));
        }
      }),
    );
    await onProgress?.(tally.sent);
  }
  return tally;
}

function note(tally: Tally, kind: string, { outcome, problem }: Judgement): void {
  const responses = tally.responses.get(kind) ?? new Map<string, number>();
  responses.set(outcome, (responses.get(outcome) ?? 0) + 1);
  tally.responses.set(kind, responses);
  tally.sent += 1;
  if (problem !== undefined) tally.problems.add(`${kind}: ${problem}`);
}

/** How many requests were answered in a way. */
export function countResponses({ responses }: Tally, matches: (outcome: string) => boolean): number {
  let count = 0;
  for (const byOutcome of responses.values())
    for (const [outcome, times] of byOutcome) if (matches(outcome)) count += times;
  return count;
}

/** A line for each kind of request, with what was answered how often. */
export function summarize({ responses }: Tally): string {
  return [...responses]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([kind, byOutcome]) => {
      const outcomes = [...byOutcome]
        .toSorted(([, a], [, b]) => b - a)
        .map(([what, times]) => `${times} × ${what}`);
      return `  ${kind.padEnd(34)} ${outcomes.join(', ')}`;
    })
    .join('\n');
}
