import type { OpenResources } from './measure/openResources.ts';
import type { Measurement } from './measure/measure.ts';

/** Allowed growth of n8n's heap: 8 MB for 20,000 remembered events, and n8n's own caches and compiled code. */
const HEAP_GROWTH_BYTES = 40 * 1024 * 1024;
/** Allowed growth of static data: each polling trigger remembers the changes of the last minutes, and 2,000 older ones. */
const STATIC_DATA_GROWTH_BYTES = 65_536;
/** Handles opened by clients or by the engine itself, which uses one for all timers and one for all immediates. */
const FOREIGN_HANDLES = new Set(['tcp incoming', 'timer', 'idle']);
/** Allowed growth of timers: n8n's own come and go. */
const TIMER_GROWTH = 20;

/** Growth between two measurements, in bytes. */
export interface Growth {
  heap: number;
  staticData: number;
}

export function growth(before: Measurement, after: Measurement): Growth {
  return {
    heap: after.heap - before.heap,
    staticData: sum(Object.values(after.staticData)) - sum(Object.values(before.staticData)),
  };
}

/** Exceeded limits; empty if there are none. */
export function problemsWith(before: Measurement, after: Measurement): string[] {
  const { heap, staticData } = growth(before, after);
  return [
    ...(heap > HEAP_GROWTH_BYTES ? [`n8n's heap grew by ${kB(heap)}`] : []),
    ...(staticData > STATIC_DATA_GROWTH_BYTES ? [`static data grew by ${staticData} bytes`] : []),
    ...openResourceProblems(before.openResources, after.openResources),
  ];
}

function openResourceProblems(before: OpenResources, after: OpenResources): string[] {
  const more = (kind: 'handles' | 'listeners') =>
    Object.entries(after[kind])
      .filter(([name, count]) => !FOREIGN_HANDLES.has(name) && count > (before[kind][name] ?? 0))
      .map(([name, count]) => `${count} ${kind} of type "${name}", up from ${before[kind][name] ?? 0}`);
  const { timers, socketsToService } = after;
  return [
    ...more('handles'),
    ...more('listeners'),
    ...(timers > before.timers + TIMER_GROWTH ? [`${timers} timers, up from ${before.timers}`] : []),
    ...(socketsToService > 0 ? [`${socketsToService} sockets to the service are open`] : []),
  ];
}

/** Formats bytes as kilobytes. */
export const kB = (bytes: number): string => `${Math.round(bytes / 1024).toLocaleString('en')} kB`;

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
