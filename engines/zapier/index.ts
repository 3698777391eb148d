import app from 'zapier-qr-service';
import { openDropdown, type DropdownPage } from './dropdown.ts';
import { createAppRunner, type LogLine, type Row } from './run.ts';
import { startPlatform, type StoredFile } from './platform.ts';
import { subscribeTrigger, type ZapierHook } from './hook.ts';

export type { DropdownPage } from './dropdown.ts';
export { readStepFailure, type StepFailure } from './errors.ts';
export { toZapierHeaders } from './headers.ts';
export type { HookRequest, ZapierHook } from './hook.ts';
export type { StoredFile } from './platform.ts';
export type { LogLine, Row } from './run.ts';

/** What the engine runs with. */
export interface ZapierEngineOptions {
  /** The connection's fields. */
  auth: { apiKey: string; baseUrl?: string };
  /** Gets what runs log; by default it is dropped. */
  log?: (line: LogLine) => void;
  /** The app's definition; by default the workspace's own. */
  app?: object;
}

/** The Zapier app in Zapier's own engine, in this process. */
export interface ZapierEngine {
  /** Tests the connection and gives the test's answer and the connection's label. */
  authTest(): Promise<{ account: Row; label: string }>;
  create(key: string, inputData: Row): Promise<Row>;
  search(key: string, inputData: Row): Promise<Row[]>;
  /** The first row that the search finds; else what the create paired with it makes. */
  searchOrCreate(key: string, searchInput: Row, createInput: Row): Promise<Row>;
  /** One poll of a polling trigger, newest first; Zapier's deduplication is the caller's. */
  poll(key: string, inputData?: Row, meta?: Row): Promise<Row[]>;
  /** A page of a field's dropdown: the first, or the one that `pagingToken` of the page before names. */
  dropdown(step: string, field: string, pagingToken?: string): Promise<DropdownPage>;
  /** What the editor's test of an instant trigger shows. */
  performList(key: string): Promise<Row[]>;
  /** Turns a Zap with an instant trigger on. */
  subscribe(key: string, targetUrl: string): Promise<ZapierHook>;
  /** The file behind a step's file field, fetched as Zapier does when a later step uses it. */
  hydrateFile(value: unknown): Promise<StoredFile>;
  /** The app's definition as it is sent to Zapier: functions are names. */
  definition(): Promise<Row>;
  /** What Zapier's schema finds wrong with the app. */
  validate(): Promise<unknown[]>;
  close(): Promise<void>;
}

/**
 * Starts the engine. Failed steps reject with Zapier's own errors, see `readStepFailure`. `close()` it, or
 * its platform's server keeps the process alive.
 */
export async function createZapierEngine(options: ZapierEngineOptions): Promise<ZapierEngine> {
  const definition: object = options.app ?? app;
  const pairs =
    (definition as { searchOrCreates?: Record<string, { create: string }> }).searchOrCreates ?? {};
  const platform = await startPlatform();
  const runner = createAppRunner(definition, {
    rpcUrl: platform.rpcUrl,
    log: options.log ?? (() => undefined),
  });
  const run = (method: string, bundle: Row = {}) =>
    runner.run(method, {
      authData: { ...options.auth },
      inputData: {},
      inputDataRaw: {},
      meta: {},
      ...bundle,
    });

  const create = async (key: string, inputData: Row, meta: Row = {}) =>
    (await run(`creates.${key}.operation.perform`, { inputData, meta })) as Row;
  const search = async (key: string, inputData: Row) =>
    (await run(`searches.${key}.operation.perform`, { inputData })) as Row[];

  return {
    async authTest() {
      const account = (await run('authentication.test')) as Row;
      const label = (await run('authentication.connectionLabel', { inputData: account })) as string;
      return { account, label };
    },
    create: (key, inputData) => create(key, inputData),
    search,
    async searchOrCreate(key, searchInput, createInput) {
      const pair = pairs[key];
      if (pair === undefined) throw new Error(`The app has no search-or-create ${key}.`);
      const [found] = await search(key, searchInput);
      return found ?? create(pair.create, createInput, { withSearch: key });
    },
    poll: async (key, inputData = {}, meta = {}) =>
      (await run(`triggers.${key}.operation.perform`, {
        inputData,
        meta: { page: 0, limit: -1, ...meta },
      })) as Row[],
    dropdown: (step, field, pagingToken) => openDropdown(run, definition, { step, field, pagingToken }),
    performList: async (key) =>
      (await run(`triggers.${key}.operation.performList`, { meta: { isLoadingSample: true } })) as Row[],
    subscribe: (key, targetUrl) => subscribeTrigger(run, key, targetUrl),
    async hydrateFile(value) {
      const url = await run(...readHydration(value));
      const file = platform.file(String(url));
      if (file === undefined) throw new Error('The hydrator gave no address of a stored file.');
      return file;
    },
    definition: () => runner.definition(),
    validate: () => runner.validate(),
    close: () => platform.close(),
  };
}

/** Method and bundle of a file field, as `z.dehydrateFile` writes them: `hydrate|||{…}|||hydrate`. */
function readHydration(value: unknown): [method: string, bundle: Row] {
  const json = typeof value === 'string' ? /^hydrate\|\|\|(.*)\|\|\|hydrate$/s.exec(value)?.[1] : undefined;
  if (json === undefined) throw new Error('The value is no file that a step gave.');
  const { method, bundle } = JSON.parse(json) as { method: string; bundle: Row };
  return [method, { inputData: bundle }];
}
