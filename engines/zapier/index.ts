import app from 'zapier-qr-service';
import { openDropdown } from './dropdown.ts';
import { subscribeTrigger } from './hook.ts';
import { startPlatform, type StoredFile, type ZapierPlatform } from './platform.ts';
import { createAppRunner, type LogLine, type Row } from './run.ts';

export { toZapierHeaders, type HookRequest, type ZapierHook } from './hook.ts';
export { startPlatform } from './platform.ts';
export { readStepFailure, type LogLine, type Row, type StepFailure } from './run.ts';

/** Options of the engine. */
export interface ZapierEngineOptions {
  /** Fields of the connection. */
  auth: { apiKey: string; baseUrl?: string };
  /** Receives the log lines of runs. Default: they are dropped. */
  log?: (line: LogLine) => void;
  /** Definition of the app. Default: the workspace's own. */
  app?: object;
  /** Zapier's services, for several connections. Default: services of its own, which `close()` ends. */
  platform?: ZapierPlatform;
}

/** The Zapier app in Zapier's own engine, in this process. */
export type ZapierEngine = Awaited<ReturnType<typeof createZapierEngine>>;

/**
 * Starts the engine. Failed steps reject with Zapier's own errors: see `readStepFailure`. Call `close()`, or its
 * local server keeps the process alive.
 */
export async function createZapierEngine(options: ZapierEngineOptions) {
  const definition: object = options.app ?? app;
  const pairs =
    (definition as { searchOrCreates?: Record<string, { create: string }> }).searchOrCreates ?? {};
  const platform = options.platform ?? (await startPlatform());
  const connection = encodeURIComponent(JSON.stringify(options.auth));
  const runner = createAppRunner(definition, {
    rpcUrl: `${platform.rpcUrl}?auth=${connection}`,
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

  const rows = async (method: string, bundle: Row) => (await run(method, bundle)) as Row[];

  /**
   * Runs an action. `meta` says, for example, that the editor tests it: `isLoadingSample`. `inputDataRaw` is what the
   * fields contain before Zapier fills in values of earlier steps.
   */
  const create = async (key: string, inputData: Row, meta: Row = {}, inputDataRaw: Row = {}) =>
    (await run(`creates.${key}.operation.perform`, { inputData, inputDataRaw, meta })) as Row;
  const search = (key: string, inputData: Row, meta: Row = {}) =>
    rows(`searches.${key}.operation.perform`, { inputData, meta });
  /** Runs what a field refers to, as Zapier does once the row starts a Zap, and returns the field's value. */
  const hydrate = async (value: unknown) => run(...readHydration(value));

  return {
    /** Tests the connection. Returns the result and the connection's label. */
    async authTest() {
      const account = (await run('authentication.test')) as Row;
      const { connectionLabel } = (definition as { authentication: { connectionLabel: string } })
        .authentication;
      const label = connectionLabel.replaceAll(/\{\{(\w+)\}\}/g, (_all, key: string) => String(account[key]));
      return { account, label };
    },
    create,
    search,
    /** Returns the first search result, or creates one with the paired create. */
    async searchOrCreate(key: string, searchInput: Row, createInput: Row): Promise<Row> {
      const pair = pairs[key];
      if (pair === undefined) throw new Error(`The app has no search-or-create ${key}.`);
      const [found] = await search(key, searchInput);
      return found ?? create(pair.create, createInput, { withSearch: key });
    },
    /** Runs one poll of a polling trigger, newest first. Doesn't deduplicate, as Zapier would. */
    poll: (key: string, inputData: Row = {}, meta: Row = {}) =>
      rows(`triggers.${key}.operation.perform`, { inputData, meta: { page: 0, limit: -1, ...meta } }),
    /** Loads a page of a field's dropdown: the first one, or the one for a page's `pagingToken`. */
    dropdown: (step: string, field: string, pagingToken?: string) =>
      openDropdown(run, definition, { step, field, pagingToken }),
    /** Returns what testing an instant trigger shows in the editor. */
    performList: (key: string, inputData: Row = {}) =>
      rows(`triggers.${key}.operation.performList`, { inputData, meta: { isLoadingSample: true } }),
    /** Turns on a Zap with an instant trigger. */
    subscribe: (key: string, targetUrl: string, inputData?: Row) =>
      subscribeTrigger(run, key, targetUrl, inputData),
    /** Loads the input fields of a step for these inputs, as the editor does: `step` is its path. */
    inputFields: (step: string, inputData: Row = {}) => rows(`${step}.operation.inputFields`, { inputData }),
    hydrate,
    /** Fetches the file of a step's file field, as Zapier does when a later step uses it. */
    async hydrateFile(value: unknown): Promise<StoredFile> {
      const file = platform.file(String(await hydrate(value)));
      if (file === undefined) throw new Error("The hydrator didn't return the URL of a stored file.");
      return file;
    },
    /** The app's definition as sent to Zapier, with functions replaced by names. */
    definition: () => runner.definition(),
    /** Violations of Zapier's schema in the app. */
    validate: () => runner.validate(),
    async close() {
      if (options.platform === undefined) await platform.close();
    },
  };
}

/** Parses a field as written by `z.dehydrate` and `z.dehydrateFile`: `hydrate|||{…}|||hydrate`. */
function readHydration(value: unknown): [method: string, bundle: Row] {
  const json = typeof value === 'string' ? /^hydrate\|\|\|(.*)\|\|\|hydrate$/s.exec(value)?.[1] : undefined;
  if (json === undefined) throw new Error("The value isn't a reference returned by a step.");
  const { method, bundle } = JSON.parse(json) as { method: string; bundle: Row };
  return [method, { inputData: bundle }];
}
