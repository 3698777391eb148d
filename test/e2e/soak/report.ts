import type { DevTools } from '../support/process/devTools.ts';
import type { Measurement } from './measure/measure.ts';
import { kB, type Growth } from './verdict.ts';

/** Result of a soak run. */
export interface Outcome {
  minutes: number;
  counts: Record<string, number>;
  problems: readonly string[];
  grown: Growth;
}

/** Describes the progress in one line. */
export async function progress(
  tookMs: number,
  counts: Record<string, number>,
  devTools: DevTools,
): Promise<string> {
  const { usedSize } = await devTools.send<{ usedSize: number }>('Runtime.getHeapUsage');
  const minutes = (tookMs / 60_000).toFixed(1);
  return `  ${minutes} min: ${formatCounts(counts)}; n8n's heap ${kB(usedSize)}, garbage included`;
}

/** Describes a measurement in a few lines. */
export function describe({ heap, openResources, staticData }: Measurement): string {
  return [
    `  n8n's heap ${kB(heap)}`,
    `  handles ${formatCounts(openResources.handles)}; sockets to the service ${openResources.socketsToService}`,
    `  timers ${openResources.timers}; listeners ${formatCounts(openResources.listeners)}`,
    `  static data, bytes: ${formatCounts(staticData)}`,
  ].join('\n');
}

/** The verdict in one line, plus a line for each problem. */
export function verdictOf({ minutes, counts, problems, grown }: Outcome): string {
  const figures = `${formatCounts(counts)}; heap ${kB(grown.heap)} more, static data ${grown.staticData} bytes more`;
  const verdict = `${problems.length === 0 ? '✔' : '✗'} soak of ${minutes} min: ${figures}`;
  return [verdict, ...problems.map((problem) => `  ✗ ${problem}`)].join('\n');
}

const formatCounts = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([what, count]) => `${count.toLocaleString('en')} ${what}`)
    .join(', ');
