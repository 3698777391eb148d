import type { OpenResources } from './measure/openResources.ts';
import type { Measurement } from './measure/measure.ts';
import type { HeapSize } from './measure/packageMemory.ts';

/** Allowed growth of the package's memory, apart from the remembered deliveries. */
const OWN_GROWTH = { bytes: 64 * 1024, objects: 500 };
/** Allowed growth of compiled code: the engine recompiles hot code and discards cold code. */
const CODE_GROWTH_BYTES = 1024 * 1024;
/** Limits for the remembered deliveries: the trigger's own limit plus the keys of the latest delivery, and the bytes per key. */
const REMEMBERED = { keys: 20_002, bytesPerKey: 512 };
/** Allowed growth of static data: each polling trigger remembers the changes of the last minutes, and 2,000 older ones. */
const STATIC_DATA_GROWTH_BYTES = 65_536;
/** Handles opened by clients or by the engine itself, which uses one for all timers and one for all immediates. */
const FOREIGN_HANDLES = new Set(['tcp incoming', 'timer', 'idle']);
/** Allowed growth of timers: n8n's own come and go. */
const TIMER_GROWTH = 20;

/** Growth between two measurements. */
export interface Growth {
  /** The package's memory, without the remembered deliveries. */
  own: HeapSize;
  code: HeapSize;
  whole: HeapSize;
  remembered: HeapSize & { keys: number; bytesPerKey: number };
  staticDataBytes: number;
  /** The holders that grew most, in descending order. */
  growers: { holder: string; objects: number; bytes: number }[];
}

/** @param deduplicatorClass name of the class that remembers deliveries */
export function growth(before: Measurement, after: Measurement, deduplicatorClass: string): Growth {
  const [a, b] = [before.memory, after.memory];
  const isMemory = (holder: string) => holder.startsWith(`${deduplicatorClass} `);
  const growers = Object.keys({ ...a.byHolder, ...b.byHolder })
    .map((holder) => ({ holder, ...difference(a.byHolder[holder], b.byHolder[holder]) }))
    .sort((one, other) => other.bytes - one.bytes);
  const remembered = growers.filter(({ holder }) => isMemory(holder));
  const others = growers.filter(({ holder }) => !isMemory(holder));
  const rememberedBytes = sum(remembered.map(({ bytes }) => bytes));
  const keys = b.keys - a.keys;
  return {
    own: {
      bytes: sum(others.map(({ bytes }) => bytes)),
      objects: sum(others.map(({ objects }) => objects)),
    },
    code: difference(a.code, b.code),
    whole: difference(a.whole, b.whole),
    remembered: {
      bytes: rememberedBytes,
      objects: sum(remembered.map(({ objects }) => objects)),
      keys,
      bytesPerKey: keys === 0 ? 0 : Math.round(rememberedBytes / keys),
    },
    staticDataBytes: sum(Object.values(after.staticData)) - sum(Object.values(before.staticData)),
    growers: others.filter(({ bytes }) => bytes > 0).slice(0, 5),
  };
}

/** Exceeded limits; empty if there are none. */
export function problemsWith(before: Measurement, after: Measurement, grown: Growth): string[] {
  const { own, code, remembered, growers, staticDataBytes } = grown;
  const problems: string[] = [];
  const named = growers
    .slice(0, 3)
    .map(({ holder, objects, bytes }) => `${holder}: ${kB(bytes)} in ${objects} objects`);
  if (own.bytes > OWN_GROWTH.bytes || own.objects > OWN_GROWTH.objects)
    problems.push(
      `the package's code holds ${kB(own.bytes)} more, in ${own.objects} objects (${named.join('; ')})`,
    );
  if (code.bytes > CODE_GROWTH_BYTES) problems.push(`its compiled code grew by ${kB(code.bytes)}`);
  if (after.memory.keys === 0 || after.memory.keys > REMEMBERED.keys)
    problems.push(`${after.memory.keys} delivery keys are remembered, expected 1 to ${REMEMBERED.keys}`);
  if (remembered.bytesPerKey > REMEMBERED.bytesPerKey)
    problems.push(`a remembered key takes ${remembered.bytesPerKey} bytes`);
  if (staticDataBytes > STATIC_DATA_GROWTH_BYTES)
    problems.push(`static data grew by ${staticDataBytes} bytes`);
  return [...problems, ...openResourceProblems(before.openResources, after.openResources)];
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

function difference(before: HeapSize | undefined, after: HeapSize | undefined): HeapSize {
  return {
    bytes: (after?.bytes ?? 0) - (before?.bytes ?? 0),
    objects: (after?.objects ?? 0) - (before?.objects ?? 0),
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
