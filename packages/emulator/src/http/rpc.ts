import { isIP } from 'node:net';
import { Hono, type Context, type MiddlewareHandler } from 'hono';
import type { EmulatorContext } from '../control/context.ts';
import { CONTROL_METHODS, type Control } from '../control/control.ts';
import { InputError, readInput, RecordNotFoundError } from '../validation/input.ts';
import { readBody } from './bodies.ts';
import type { Env } from './env.ts';
import { ApiFailure } from './failures.ts';

/** Path of the control API on the emulator's address. */
export const CONTROL_PATH = '/_emulator';

/**
 * `control` over HTTP, for other processes: `POST /_emulator/<method>` with a JSON array of the arguments. It isn't part of
 * the service's API: it needs no key, has no rate limit, and its requests aren't recorded.
 */
export function createControlApi({ host, log }: EmulatorContext, control: Control): Hono<Env> {
  const api = new Hono<Env>();
  api.use(requireSameOrigin(host));
  api.use(async (c, next) => {
    await next();
    c.header('Cache-Control', 'no-store');
    c.header('X-Content-Type-Options', 'nosniff');
  });
  api.get('/', (c) => {
    const methods = Object.entries(CONTROL_METHODS);
    return c.json(Object.fromEntries(methods.map(([name, args]) => [name, Object.keys(args)])));
  });
  api.post('/:method', async (c) => {
    const method = c.req.param('method');
    const result = await call(control, method, await readArguments(c, method));
    return c.json(result ?? null);
  });
  api.all('*', (c) => {
    throw new RecordNotFoundError(
      `${c.req.method} ${c.req.path} doesn't exist. Use POST ${CONTROL_PATH}/<method>; GET ${CONTROL_PATH} lists the methods.`,
    );
  });
  api.onError((error, c) => {
    if (error instanceof TypeError || error instanceof ApiFailure)
      return c.json({ error: error.message }, 400);
    if (error instanceof RecordNotFoundError) return c.json({ error: error.message }, 404);
    log(`internal error: ${error.stack ?? error.message}`);
    return c.json({ error: 'Internal error of the emulator. See its log.' }, 500);
  });
  return api;
}

/**
 * Reads and checks the arguments.
 * @throws InputError for a body that isn't a JSON array, or an invalid argument
 * @throws RecordNotFoundError for an unknown method
 */
async function readArguments(c: Context<Env>, method: string): Promise<unknown[]> {
  const schemas = Object.hasOwn(CONTROL_METHODS, method) ? CONTROL_METHODS[method] : undefined;
  if (schemas === undefined)
    throw new RecordNotFoundError(
      `Unknown method ${method}. Use one of: ${Object.keys(CONTROL_METHODS).join(', ')}.`,
    );
  const given = parse(await readBody(c.env.incoming));
  const names = Object.keys(schemas);
  if (!Array.isArray(given) || given.length > names.length)
    throw new InputError('The body', `must be a JSON array of the arguments: [${names.join(', ')}]`);
  return Object.entries(schemas).map(([name, schema], index) =>
    readInput(schema, given[index] as unknown, name),
  );
}

function call({ clock, ...control }: Control, method: string, args: unknown[]): unknown {
  const name = method.replace('clock.', '');
  const methods = (name === method ? control : clock) as unknown as Record<
    string,
    (...args: unknown[]) => unknown
  >;
  return methods[name]?.(...args);
}

function parse(text: string): unknown {
  try {
    return text.trim() === '' ? [] : JSON.parse(text);
  } catch {
    throw new InputError('The body', "isn't valid JSON");
  }
}

/**
 * Blocks foreign pages, because no key is required. A request must use an IP address, `localhost` or the configured host,
 * since a foreign name could resolve to this machine, and must not come from a page of another origin.
 * @param configuredHost host that the emulator listens on
 */
function requireSameOrigin(configuredHost: string): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { host, hostname } = new URL(c.req.url);
    if (!isLocalHost(hostname) && hostname !== configuredHost)
      return c.json({ error: `Use localhost or this machine's IP address, not ${hostname}.` }, 403);
    const origin = c.req.header('Origin');
    const site = c.req.header('Sec-Fetch-Site') ?? 'none';
    const isForeign = origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === host);
    if (isForeign || !['same-origin', 'none'].includes(site))
      return c.json({ error: "Pages from another origin can't control the emulator." }, 403);
    return next();
  };
}

/** Whether a host is an IP address or `localhost`, which no foreign page can claim. */
export function isLocalHost(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return hostname === 'localhost' || hostname.endsWith('.localhost') || isIP(address) !== 0;
}
