/** Something to be timed: `run` does `operations` of it. */
export interface Candidate {
  name: string;
  operations: number;
  run: () => Promise<void> | void;
}

/** Times candidate and baseline in turn and prints the median of the ratios: machines are shared and noisy. */
export async function compare(
  title: string,
  candidate: Candidate,
  baseline: Candidate,
  rounds = 5,
): Promise<void> {
  await candidate.run();
  await baseline.run();
  const [rates, baseRates]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    rates.push(await rate(candidate));
    baseRates.push(await rate(baseline));
  }
  const ratios = rates.map((value, round) => value / (baseRates[round] ?? value));
  console.log(`${title}
  ${candidate.name}: ${Math.round(median(rates)).toLocaleString('en')}/s
  ${baseline.name}: ${Math.round(median(baseRates)).toLocaleString('en')}/s
  ratio ${median(ratios).toFixed(2)} (median of ${rounds}; ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})\n`);
}

async function rate({ operations, run }: Candidate): Promise<number> {
  const began = process.hrtime.bigint();
  await run();
  return operations / (Number(process.hrtime.bigint() - began) / 1e9);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
