import type { EmulatorOptions } from 'qr-service-emulator';
import {
  createZapierEngine,
  startPlatform,
  readStepFailure,
  type LogLine,
  type Row,
  type StepFailure,
  type ZapierEngine,
} from '../../../engines/zapier/index.ts';
import { startService, type Service } from './service.ts';

export { HOOK_URL } from './service.ts';

/** Inputs of a step whose QR Code is mapped to a cell, which may be blank. */
export const MAPPED = { qrCodeId: '{{1__id}}' };

/** The service, Zapier's endpoint for hooks and Zapier's engine with the app. */
export interface World extends Service {
  engine: ZapierEngine;
  /** Log lines of the runs. */
  logs: LogLine[];
  /** How many codes have exactly this name. */
  codesNamed(name: string): Promise<number>;
  /** An engine with another connection; closed with the world. */
  connect(apiKey: string, baseUrl?: string): Promise<ZapierEngine>;
  /** The engine after the key of the world's connection was replaced: it has the same part of Zapier's cache. */
  withKey(apiKey: string): Promise<ZapierEngine>;
}

export async function startWorld(options: EmulatorOptions = {}): Promise<World> {
  const service = await startService(options);
  const { emulator, hooks } = service;
  const logs: LogLine[] = [];
  const engines: ZapierEngine[] = [];
  const platform = await startPlatform();
  const log = (line: LogLine) => logs.push(line);
  const connect = async (apiKey: string, baseUrl = emulator.url) => {
    const engine = await createZapierEngine({ auth: { apiKey, baseUrl }, log, platform });
    engines.push(engine);
    return engine;
  };
  const engine = await connect(emulator.apiKey);
  const withKey = (apiKey: string) => {
    const connection = encodeURIComponent(JSON.stringify({ apiKey: emulator.apiKey, baseUrl: emulator.url }));
    const auth = { apiKey, baseUrl: emulator.url };
    // The first `auth` counts.
    const rpcUrl = `${platform.rpcUrl}?auth=${connection}&replaced=`;
    return createZapierEngine({ auth, log, platform: { ...platform, rpcUrl } });
  };
  return {
    emulator,
    hooks,
    engine,
    logs,
    codesNamed: async (name) =>
      (await engine.poll('qr_changed')).filter((code) => code['name'] === name).length,
    connect,
    withKey,
    async close() {
      await Promise.all(engines.map((engine) => engine.close()));
      await platform.close();
      await service.close();
    },
  };
}

/** Returns the failure of a step that must fail. */
export async function failureOf(step: Promise<unknown>): Promise<StepFailure & { stack: string }> {
  let result: unknown;
  try {
    result = await step;
  } catch (error) {
    const failure = { ...readStepFailure(error), stack: String((error as Error).stack) };
    // Zapier reruns it by itself: if people do as well, it may create a duplicate.
    if (failure.name === 'ThrottledError') expect(failure.message).not.toMatch(/replay|run this step again/i);
    return failure;
  }
  throw new Error(`The step did not fail but returned ${JSON.stringify(result)}.`);
}

/**
 * Zapier's table of what a polling Zap has seen, by the primary fields: returns the rows of a poll that start the Zap.
 */
export function createDedupeTable(primary: string[]): (rows: Row[]) => Row[] {
  const seen = new Set<string>();
  const keyOf = (row: Row) => JSON.stringify(primary.map((field) => row[field]));
  return (rows) => {
    const fresh = rows.filter((row) => !seen.has(keyOf(row)));
    for (const row of fresh) seen.add(keyOf(row));
    return fresh;
  };
}
