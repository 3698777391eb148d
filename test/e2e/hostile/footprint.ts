import { setTimeout as sleep } from 'node:timers/promises';
import type { DevTools } from '../support/process/devTools.ts';

const IDLE_MS = 2000;
const TIMEOUT_MS = 30_000;
const MB = 1024 * 1024;

/** Resources that a process holds after garbage collection. */
interface Footprint {
  /** Used heap, in bytes. */
  heap: number;
  /** Buffers and other memory outside the heap, in bytes. */
  external: number;
  /** Resident memory, in bytes. */
  resident: number;
  /** Active libuv handles, counted by type. Without timers: all of a program's share one, and others are native. */
  handles: Record<string, number>;
}

/** Measures a process after it was idle for a moment. With `before`, waits until it has no extra handles. */
export async function idleFootprint(devTools: DevTools, before?: Footprint): Promise<Footprint> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    await sleep(IDLE_MS);
    const now = await footprint(devTools);
    if (before === undefined || extraHandles(before, now).length === 0 || Date.now() > deadline) return now;
  }
}

/** Types of handles with a higher count than before, and the difference. */
export function extraHandles(before: Footprint, after: Footprint): string[] {
  return Object.entries(after.handles)
    .map(([kind, count]) => ({ kind, more: count - (before.handles[kind] ?? 0) }))
    .filter(({ more }) => more > 0)
    .map(({ kind, more }) => `${more} ${kind}`);
}

/** Describes the growth from the first to the second footprint. */
export function describeGrowth(before: Footprint, after: Footprint): string {
  const grown = (what: 'heap' | 'external' | 'resident') => {
    const mb = (after[what] - before[what]) / MB;
    return `${mb < 0 ? '' : '+'}${mb.toFixed(1)} MB`;
  };
  return `heap ${grown('heap')}, buffers ${grown('external')}, resident ${grown('resident')}`;
}

async function footprint(devTools: DevTools): Promise<Footprint> {
  // The first collection runs finalizers. The second one collects what they free.
  for (let time = 0; time < 2; time++) await devTools.send('HeapProfiler.collectGarbage');
  return devTools.run(() => {
    // Otherwise the report would look up host names for all addresses.
    Object.assign(process.report, { excludeNetwork: true });
    const { libuv } = process.report.getReport() as unknown as {
      libuv: { type: string; is_active: boolean }[];
    };
    const handles: Record<string, number> = {};
    for (const { type, is_active: isActive } of libuv)
      if (isActive && type !== 'timer') handles[type] = (handles[type] ?? 0) + 1;
    const { heapUsed, external, rss } = process.memoryUsage();
    return { heap: heapUsed, external, resident: rss, handles };
  });
}
