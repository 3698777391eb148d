import fc from 'fast-check';
import { send, type RawResponse, type RawRequest } from './rawRequest.ts';

/** Maximum number of concurrent requests. */
const CONCURRENCY = 24;
const BATCH = 500;

/** A request that is built when it is sent, so that its signature is fresh. */
export interface HostileRequest<Context> {
  /** What is hostile about it. */
  kind: string;
  build: (context: Context) => RawRequest;
}

/** Assessment of a response. */
export interface Judgement {
  /** Short description for the summary. */
  outcome: string;
  /** Why the response is wrong, if it is. */
  problem?: string;
}

/** Number of responses, by kind of request and outcome. */
export interface Tally {
  sent: number;
  /** By kind, then by outcome. */
  responses: Map<string, Map<string, number>>;
  /** Distinct problems. */
  problems: Set<string>;
}

/** Options of an attack. */
export interface Attack {
  /** Number of requests to send. */
  count: number;
  seed: number;
  log: (line: string) => void;
}

/** Options of a flood. */
interface FloodSettings<Context> {
  port: number;
  context: Context;
  requests: fc.Arbitrary<HostileRequest<Context>>;
  count: number;
  seed: number;
  judge: (response: RawResponse, kind: string) => Judgement;
  /** Called after each batch, with the number of requests sent so far. */
  onProgress?: (sent: number) => void | Promise<void>;
}

/** Sends hostile requests, reproducible by seed. */
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

/** Counts the responses with a matching outcome. */
export function countResponses({ responses }: Tally, matches: (outcome: string) => boolean): number {
  let count = 0;
  for (const byOutcome of responses.values())
    for (const [outcome, times] of byOutcome) if (matches(outcome)) count += times;
  return count;
}

/** One line per kind of request, with the count of each outcome. */
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
