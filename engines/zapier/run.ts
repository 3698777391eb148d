import { createRequire } from 'node:module';

/** A log line of the engine, with known secrets already redacted. */
export interface LogLine {
  message: string;
  /** `console` for what the app logs, `http` for its requests. */
  type: string;
  data: Record<string, unknown>;
}

/** Input or output of a step. */
export type Row = Record<string, unknown>;

/** Runs one method of an app, such as `creates.create_qr_code.operation.perform`, as Zapier does. */
export type RunMethod = (method: string, bundle: Row) => Promise<unknown>;

type Handler = (event: Record<string, unknown>) => Promise<{ results: unknown }>;

// The package's types include neither.
const require = createRequire(import.meta.url);
const { createAppHandler } = require('zapier-platform-core') as {
  createAppHandler: (app: object) => Handler;
};
const constants = require('zapier-platform-core/src/constants') as { KILL_MAX_LIMIT: number };
const schema = require('zapier-platform-core/src/tools/schema') as { prepareApp: (app: object) => object };

// The handler copies and freezes the definition twice in each run, which takes longer than most runs.
const prepareApp = schema.prepareApp;
const prepared = new WeakMap<object, object>();
schema.prepareApp = (app) => {
  const ready = prepared.get(app) ?? prepareApp(app);
  prepared.set(app, ready);
  return ready;
};

/**
 * Runs an app in Zapier's own handler. Unlike `createAppTester`, which keeps `z.cache` in an object and
 * ignores ttl, scope and nx, it calls the platform's services by RPC, as a live run does.
 */
export function createAppRunner(app: object, options: { rpcUrl: string; log: (line: LogLine) => void }) {
  // The handler kills its process, here the caller's, when memory use exceeds this many bytes.
  constants.KILL_MAX_LIMIT = Infinity;
  // Besides logging, `z.console` calls the method of the global console that is named after the log type: `console`.
  Object.defineProperty(console, 'console', { value: () => undefined, configurable: true });
  // RPC calls need a key. Its value isn't checked here.
  process.env['ZAPIER_DEPLOY_KEY'] ??= 'local-engine';
  const handle = createAppHandler(app);
  const event = {
    // As Zapier's CLI does: checks throw, nothing is printed, and Node's http isn't patched.
    calledFromCli: true,
    rpc_base: options.rpcUrl,
    customLogger: (message: string, data: Record<string, unknown>) =>
      options.log({ message: message.trim(), type: String(data['log_type']), data }),
  };
  return {
    run: async (method: string, bundle: Row) =>
      (await handle({ ...event, command: 'execute', method, bundle })).results,
    definition: async () => (await handle({ ...event, command: 'definition', bundle: {} })).results as Row,
    validate: async () => (await handle({ ...event, command: 'validate', bundle: {} })).results as unknown[],
  };
}

/** A failed step's error, parsed from the JSON that Zapier's errors have as their message. */
export interface StepFailure {
  /** Zapier's error class, such as `AppError`, `ExpiredAuthError`, `ThrottledError`. */
  name: string;
  message: string;
  code?: string;
  status?: number;
  /** Seconds until Zapier retries the step; ThrottledError only. */
  delay?: number;
}

/** Parses a failed step's error. */
export function readStepFailure(error: unknown): StepFailure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  try {
    return { ...(JSON.parse(error.message) as Omit<StepFailure, 'name'>), name: error.name };
  } catch {
    return { name: error.name, message: error.message };
  }
}
