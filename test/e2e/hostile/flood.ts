import fc from 'fast-check';
import { send, type RawAnswer, type RawRequest } from './rawRequest.ts';

/** Requests that wait for an answer at the same time. */
const AT_ONCE = 24;
const BATCH = 500;

/** A request that is made when it is sent, so that what it signs is fresh. */
export interface Shot<Place> {
  /** What is hostile about it. */
  kind: string;
  make: (place: Place) => RawRequest;
}

/** An answer, judged. */
export interface Judgement {
  /** It in a few words, which stand in the list. */
  said: string;
  /** Why it must never be given. */
  problem?: string;
}

/** What was answered to how many requests of each kind. */
export interface Tally {
  sent: number;
  /** By kind, and then by what was said. */
  answers: Map<string, Map<string, number>>;
  /** Each once. */
  problems: Set<string>;
}

/** What an attack is told. */
export interface Attack {
  /** Requests to send. */
  count: number;
  seed: number;
  say: (line: string) => void;
}

/** How a flood is sent. */
export interface FloodSettings<Place> {
  port: number;
  place: Place;
  shots: fc.Arbitrary<Shot<Place>>;
  count: number;
  seed: number;
  judge: (answer: RawAnswer, kind: string) => Judgement;
  /** Told how many were sent, once for each batch. */
  onProgress?: (sent: number) => void | Promise<void>;
}

/** Sends so many hostile requests; the same ones again for the same seed. */
export async function flood<Place>(settings: FloodSettings<Place>): Promise<Tally> {
  const { port, place, shots, count, seed, judge, onProgress } = settings;
  const tally: Tally = { sent: 0, answers: new Map(), problems: new Set() };
  for (let begin = 0; begin < count; begin += BATCH) {
    const batch = fc.sample(shots, { numRuns: Math.min(BATCH, count - begin), seed: seed + begin });
    const next = batch.values();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const shot of next) {
          const answer = await send(port, shot.make(place));
          note(tally, shot.kind, judge(answer, shot.kind));
        }
      }),
    );
    await onProgress?.(tally.sent);
  }
  return tally;
}

function note(tally: Tally, kind: string, { said, problem }: Judgement): void {
  const answers = tally.answers.get(kind) ?? new Map<string, number>();
  answers.set(said, (answers.get(said) ?? 0) + 1);
  tally.answers.set(kind, answers);
  tally.sent += 1;
  if (problem !== undefined) tally.problems.add(`${kind}: ${problem}`);
}

/** How many requests were answered in a way. */
export function countOf({ answers }: Tally, isWanted: (said: string) => boolean): number {
  let count = 0;
  for (const byAnswer of answers.values())
    for (const [said, times] of byAnswer) if (isWanted(said)) count += times;
  return count;
}

/** A line for each kind of request, with what was answered how often. */
export function listing({ answers }: Tally): string {
  return [...answers]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([kind, byAnswer]) => {
      const said = [...byAnswer]
        .toSorted(([, a], [, b]) => b - a)
        .map(([what, times]) => `${times} × ${what}`);
      return `  ${kind.padEnd(34)} ${said.join(', ')}`;
    })
    .join('\n');
}
