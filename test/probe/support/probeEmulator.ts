import { setImmediate } from 'node:timers/promises';
import { readConnection } from '@qr-service/core/connector';
import { undiciTransport } from '@qr-service/core/undici';
import { startEmulator, type Emulator, type EmulatorOptions } from 'qr-service-emulator';
import type { Report } from '../../../packages/probe/src/report/Report.ts';
import { runProbe, type ProbeOptions } from '../../../packages/probe/src/runProbe.ts';
import { altered, type Alteration } from './altered.ts';

const HOUR_MS = 60 * 60 * 1000;

/** Codes of a workspace, with scans. */
const SEED = {
  codes: Array.from({ length: 8 }, (_none, nth) => ({
    name: `Table ${nth}`,
    targetUrl: `https://example.com/menu/${nth}`,
    status: 'published' as const,
    scans: [0, 1].map((scan) => ({
      scannedAt: Date.parse('2026-01-01T00:00:00Z') + (nth * 2 + scan) * HOUR_MS,
    })),
  })),
};

/** A clock that sleeping moves, and each reading by a millisecond, for an emulator and a probe. */
function sharedClock() {
  let now = Date.parse('2026-02-01T00:00:00Z');
  return {
    now: () => now++,
    sleep: async (ms: number, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      now += Math.max(0, Math.ceil(ms));
      await setImmediate();
    },
  };
}

/** An emulator with a few codes and scans, and how to probe it. */
export interface Seeded {
  emulator: Emulator;
  clock: ReturnType<typeof sharedClock>;
  /** Probes it with writes, unless the options say otherwise. */
  probe: (options?: Partial<ProbeOptions>, alteration?: Alteration) => Promise<Report>;
}

const running: Emulator[] = [];

/** Starts an emulator with a few codes and scans. */
export async function startSeeded(options: EmulatorOptions = {}): Promise<Seeded> {
  const clock = sharedClock();
  const emulator = await startEmulator({ seed: SEED, idSeed: 'probe', now: clock.now, ...options });
  running.push(emulator);
  // The codes weren't created just now.
  await clock.sleep(HOUR_MS);
  const { url: baseUrl, apiKey } = emulator;
  return {
    emulator,
    clock,
    probe: (own = {}, alteration = {}) =>
      runProbe({
        connection: readConnection({ baseUrl, apiKey }),
        write: true,
        ...clock,
        ...own,
        transport: altered(own.transport ?? undiciTransport(), alteration),
      }),
  };
}

/** Stops all emulators. Call after each test. */
export async function stopProbed(): Promise<void> {
  await Promise.all(running.splice(0).map((emulator) => emulator.stop()));
}

/** A line of a report. */
export const findingOf = ({ findings }: Report, id: string) => findings.find((finding) => finding.id === id)!;

/** The verdicts of a report by the names of its lines. */
export const verdictsOf = ({ findings }: Report) =>
  Object.fromEntries(findings.map(({ id, verdict }) => [id, verdict]));
