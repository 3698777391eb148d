import { createRequire } from 'node:module';

/** A line that the engine logs, after it has taken known secrets out. */
export interface LogLine {
  message: string;
  /** `console` for what the app logs, `http` for its requests. */
  type: string;
  data: Record<string, unknown>;
}

/** What a step takes and gives. */
export type Row = Record<string, unknown>;

/** Runs one method of an app, e.g. `creates.create_qr_code.operation.perform`, as Zapier does. */
export type RunMethod = (method: string, bundle: Row) => Promise<unknown>;

/** An app in Zapier's own handler. */
export interface AppRunner {
  run: RunMethod;
  /** The app's definition as it is sent to Zapier. */
  definition(): Promise<Row>;
  /** What Zapier's schema finds wrong with the app's definition. */
  validate(): Promise<unknown[]>;
}

interface HandlerResponse {
  results: unknown;
}

type Handler = (event: Record<string, unknown>) => Promise<HandlerResponse>;

// Loaded this way because the package's types lack both.
const require = createRequire(import.meta.url);
const { createAppHandler } = require('zapier-platform-core') as {
  createAppHandler: (app: object) => Handler;
};
const constants = require('zapier-platform-core/src/constants') as { KILL_MAX_LIMIT: number };

/**
 * Puts an app into Zapier's handler. Unlike `createAppTester`, which keeps `z.cache` in an object and
 * ignores ttl, scope and nx, this reaches the platform's services by RPC, as a live run does.
 */
export function createAppRunner(
  app: object,
  options: { rpcUrl: string; log: (line: LogLine) => void },
): AppRunner {
  // The handler ends its whole process, here the caller's, when it has grown past this many bytes.
  constants.KILL_MAX_LIMIT = Infinity;
  // `z.console` logs, and also prints with the global console's method named like the log's type: `console`.
  Object.defineProperty(console, 'console', { value: () => undefined, configurable: true });
  // RPC calls need any key; it is compared with nothing here.
  process.env['ZAPIER_DEPLOY_KEY'] ??= 'local-engine';
  const handle = createAppHandler(app);
  const event = {
    // As the command line does: checks raise errors, nothing is printed, Node's http is not patched.
    calledFromCli: true,
    rpc_base: options.rpcUrl,
    customLogger: (message: string, data: Record<string, unknown>) =>
      options.log({ message: message.trim(), type: String(data['log_type']), data }),
  };
  return {
    run: async (method, bundle) => (await handle({ ...event, command: 'execute', method, bundle })).results,
    definition: async () => (await handle({ ...event, command: 'definition', bundle: {} })).results as Row,
    validate: async () => (await handle({ ...event, command: 'validate', bundle: {} })).results as unknown[],
  };
}
