import { setTimeout as sleep } from 'node:timers/promises';
import type { DevTools } from '../../../harness/process/devTools.ts';

const IDLE_MS = 2000;
const TIMEOUT_MS = 30_000;
const MB = 1024 * 1024;

/** What a process holds once its garbage is collected. */
export interface Footprint {
  /** Bytes of the heap. */
  heap: number;
  /** Bytes of buffers and other memory outside the heap. */
  external: number;
  /** Bytes that the system has given it. */
  resident: number;
  /** How many handles of each kind are active, by libuv's names. */
  handles: Record<string, number>;
}

/** What a process holds when it has had nothing to do for a moment; with `before`, once no handle is left over. */
export async function idleFootprint(devTools: DevTools, before?: Footprint): Promise<Footprint> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    await sleep(IDLE_MS);
    const now = await footprint(devTools);
    if (before === undefined || extraHandles(before, now).length === 0 || Date.now() > deadline) return now;
  }
}

/** Kinds of handles of which there are more than before, with how many. */
export function extraHandles(before: Footprint, after: Footprint): string[] {
  return Object.entries(after.handles)
    .map(([kind, count]) => ({ kind, more: count - (before.handles[kind] ?? 0) }))
    .filter(({ more }) => more > 0)
    .map(({ kind, more }) => `${more} ${kind}`);
}

/** How much bigger the second one is. */
export function describeGrowth(before: Footprint, after: Footprint): string {
  const grown = (what: 'heap' | 'external' | 'resident') => {
    const mb = (after[what] - before[what]) / MB;
    return `${mb < 0 ? '' : '+'}${mb.toFixed(1)} MB`;
  };
  return `heap ${grown('heap')}, buffers ${grown('external')}, resident ${grown('resident')}`;
}

async function footprint(devTools: DevTools): Promise<Footprint> {
  // The first collection lets finalizers run, which free what the second one finds.
  for (let time = 0; time < 2; time++) await devTools.send('HeapProfiler.collectGarbage');
  return devTools.run(() => {
    // Without this, the names of all addresses would be looked up.
    Object.assign(process.report, { excludeNetwork: true });
    const { libuv } = process.report.getReport() as unknown as {
      libuv: { type: string; is_active: boolean }[];
    };
    const handles: Record<string, number> = {};
    for (const { type, is_active: isActive } of libuv) if (isActive) handles[type] = (handles[type] ?? 0) + 1;
    const { heapUsed, external, rss } = process.memoryUsage();
    return { heap: heapUsed, external, resident: rss, handles };
  });
}
