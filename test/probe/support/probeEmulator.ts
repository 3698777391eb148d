import { startEmulator, type Emulator, type EmulatorOptions } from 'qr-service-emulator';
import type { ProbeReport } from '../../../packages/probe/src/findings/ProbeReport.ts';
import { runProbe, type ProbeOptions } from '../../../packages/probe/src/runProbe.ts';

const HOUR_MS = 60 * 60 * 1000;
const CODES = 8;

/** Codes of a workspace, with scans. */
const SEED = {
  codes: Array.from({ length: CODES }, (_none, nth) => ({
    name: `Table ${nth}`,
    targetUrl: `https://example.com/menu/${nth}`,
    status: 'published' as const,
    scans: Array.from({ length: 2 }, (_unused, scan) => ({
      scannedAt: Date.parse('2026-01-01T00:00:00Z') + (nth * 2 + scan) * HOUR_MS,
      country: 'DE',
    })),
  })),
};

/** A clock that only sleeping moves, apart from real time, for an emulator and a probe. */
function sharedClock() {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    sleep: (ms: number, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      ahead += Math.max(0, Math.ceil(ms));
      return Promise.resolve();
    },
  };
}

/** An emulator with a few codes and scans, and a clock that a probe can share. */
export interface Seeded {
  emulator: Emulator;
  clock: ReturnType<typeof sharedClock>;
}

/** What a probe of an emulator found, with the emulator, which still runs. */
interface Probed {
  report: ProbeReport;
  emulator: Emulator;
}

const running: Emulator[] = [];

/** Starts an emulator with a few codes and scans. */
export async function startSeeded(options: EmulatorOptions = {}): Promise<Seeded> {
  const clock = sharedClock();
  const emulator = await startEmulator({ seed: SEED, idSeed: 'probe', now: clock.now, ...options });
  running.push(emulator);
  // The codes weren't created just now.
  await clock.sleep(HOUR_MS);
  return { emulator, clock };
}

/** Starts an emulator with a few codes and scans, and probes it. */
export async function probeEmulator(
  options: EmulatorOptions = {},
  probeOptions: Partial<ProbeOptions> = {},
): Promise<Probed> {
  const { emulator, clock } = await startSeeded(options);
  const { url: baseUrl, apiKey } = emulator;
  const report = await runProbe({ baseUrl, apiKey, ...clock, ...probeOptions });
  return { report, emulator };
}

/** Findings that differ when an emulator in the shape that a probe wrote is probed, except for figures of time. */
export async function lostInShape({ shape: written, findings, wrote }: ProbeReport): Promise<string[]> {
  const shape = JSON.parse(JSON.stringify(written)) as ProbeReport['shape'];
  const { report } = await probeEmulator({ shape }, { write: wrote });
  const shown = (all: ProbeReport['findings']) =>
    all.map(({ id, verdict, value }) => [id, verdict, id === 'lists.visibility' ? '' : value].join());
  const again = new Set(shown(report.findings));
  return shown(findings).flatMap((text) => (again.has(text) ? [] : [text.split(',', 1).join()]));
}

/** Stops all emulators. Call after each test. */
export async function stopProbed(): Promise<void> {
  await Promise.all(running.splice(0).map((emulator) => emulator.stop()));
}
