import { mkdirSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { omitUndefined } from '@qr-service/core/connector';
import { table } from '../../scripts/terminal/table.ts';
import { atLeast } from '../support/verdict.ts';

/** A candidate to time. `run` performs `operations` operations. */
export interface Contender {
  name: string;
  operations: number;
  run: () => unknown;
}

/** Target for the first contender: the minimum ratio of its rate to another contender's. */
export interface Target {
  of: string;
  minRatio: number;
}

interface Row {
  name: string;
  /** Operations per second, median of the rounds. */
  rate: number;
  /** Rate of the first contender divided by this one's, median of the rounds. */
  ratio: number;
  /** The middle half of the rounds lies between these. */
  range: [lower: number, upper: number];
  target?: number;
}

/**
 * Times the contenders in several rounds, and prints how the first compares to each of the others. Shared machines
 * are noisy, so ratios are taken within a round, and their median counts.
 */
export async function compare(
  title: string,
  contenders: Contender[],
  targets: Target[],
  rounds = 7,
): Promise<Row[]> {
  for (const contender of contenders) await rate(contender);
  const rates = contenders.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (let turn = 0; turn < contenders.length; turn++) {
      // Each round starts with another contender, so that the order varies.
      const index = (round + turn) % contenders.length;
      const contender = contenders[index];
      if (contender !== undefined) rates[index]?.push(await rate(contender));
    }

  const [ours = []] = rates;
  const rows = contenders.map(({ name }, index): Row => {
    const ratios = ours.map((value, round) => value / (rates[index]?.[round] ?? NaN));
    const target = targets.find(({ of }) => of === name)?.minRatio;
    return {
      name,
      rate: Math.round(median(rates[index] ?? [])),
      ratio: median(ratios),
      range: [quantile(ratios, 1 / 4), quantile(ratios, 3 / 4)],
      ...omitUndefined({ target }),
    };
  });
  print(title, rows, rounds);
  return rows;
}

function print(title: string, rows: readonly Row[], rounds: number): void {
  const [first, ...others] = rows;
  const lines = others.map(({ name, rate: perSecond, ratio, range, target }) => [
    ratio.toFixed(2),
    `(${range.map((value) => value.toFixed(2)).join('–')})`,
    target === undefined ? '' : atLeast(target, ratio),
    perSecond.toLocaleString('en'),
    name,
  ]);
  console.log(
    `\n${title}: ${first?.name ?? ''}, ${first?.rate.toLocaleString('en') ?? ''}/s; medians of ${rounds} rounds`,
  );
  console.log(table([['ratio to', 'middle half', 'target', 'their /s', ''], ...lines]));
}

/** Writes the results of a benchmark as JSON to `out/bench/`. */
export function record(name: string, found: unknown): void {
  const folder = new URL('../../out/bench/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  const context = { node: process.version, at: new Date().toISOString() };
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify({ ...context, found }, null, 2)}\n`);
}

/** Performs an operation repeatedly, with the given concurrency. */
export async function runConcurrently(
  operations: number,
  concurrency: number,
  work: () => Promise<unknown>,
): Promise<void> {
  let left = operations;
  const worker = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as (options: { type: 'minor' }) => void;

/** Measures operations per second, after collecting the garbage of the previous contender. */
async function rate({ operations, run }: Contender): Promise<number> {
  // A minor collection only: a full one would also discard V8's type feedback for the other contenders.
  collectGarbage({ type: 'minor' });
  const startedAt = process.hrtime.bigint();
  await run();
  return operations / (Number(process.hrtime.bigint() - startedAt) / 1e9);
}

/** The median; for an even count, the upper of the two middle values. */
export function median(values: readonly number[]): number {
  return quantile(values, 1 / 2);
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? NaN;
}
