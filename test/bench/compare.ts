import { table } from '../../scripts/terminal/table.ts';
import { importFromTool, installToolOrExit } from '../../scripts/tools/install.ts';

/** A candidate to time. `run` performs `operations` operations. */
export interface Contender {
  name: string;
  operations: number;
  run: () => unknown;
}

/**
 * Times the contenders in several rounds, and prints how the first compares to each of the others. Shared machines
 * are noisy, so ratios are taken within a round, and their median counts.
 */
export async function compare(title: string, contenders: readonly Contender[], rounds = 7): Promise<void> {
  for (const contender of contenders) await measureRate(contender);
  const rates = contenders.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (let turn = 0; turn < contenders.length; turn++) {
      // Each round starts with another contender, so that the order varies.
      const index = (round + turn) % contenders.length;
      rates[index]?.push(await measureRate(contenders[index] as Contender));
    }
  const [ours = []] = rates;
  const perSecond = (values: readonly number[]) => Math.round(median(values)).toLocaleString('en');
  const lines = contenders.slice(1).map(({ name }, index) => {
    const theirs = rates[index + 1] ?? [];
    const ratio = median(ours.map((rate, round) => rate / (theirs[round] ?? NaN)));
    return [ratio.toFixed(2), perSecond(theirs), name];
  });
  console.log(`\n${title}: ${contenders[0]?.name ?? ''}, ${perSecond(ours)}/s; medians of ${rounds} rounds`);
  console.log(table([['ratio to', 'their /s', ''], ...lines]));
}

/** Operations per second. */
async function measureRate({ operations, run }: Contender): Promise<number> {
  const startedAt = performance.now();
  await run();
  return (1000 * operations) / (performance.now() - startedAt);
}

/** The median; for an even count, the upper of the two middle values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
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

/** Imports libraries to compare with. They aren't dependencies of this repository, so the caller declares their types. */
export async function importLibraries<Libraries extends object>(
  ...names: (keyof Libraries & string)[]
): Promise<Libraries> {
  await installToolOrExit('bench');
  const modules = names.map(async (name) => [name, await importFromTool('bench', name)] as const);
  return Object.fromEntries(await Promise.all(modules)) as Libraries;
}
