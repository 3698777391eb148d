import type { EmulatorContext } from './context.ts';
import { createControl, type Control } from './control.ts';
import { readConnectTo } from './delivery/connectTo.ts';
import { createDispatcher } from './delivery/dispatcher.ts';
import { createPoster } from './delivery/post.ts';
import { createKey } from './keys.ts';
import { DEFAULT_RATE_LIMIT, DEFAULT_RETRY_BASE_MS, type EmulatorOptions } from './options.ts';
import { createApp, REDIRECT_PATH } from './server/app.ts';
import { createFaults } from './server/faults.ts';
import { listen } from './server/listen.ts';
import { createRequestLog } from './server/requestLog.ts';
import { createWire } from './server/wire.ts';
import { readWireShape } from './server/wireShape.ts';
import { announcer } from './service/announce.ts';
import { codeService } from './service/codes.ts';
import { DIMENSIONS } from './store/scans.ts';
import { openStore, type Store } from './store/index.ts';
import type { Workspace } from './store/workspace.ts';

/** One try of a delivery, in milliseconds. */
const DELIVERY_TIMEOUT_MS = 10_000;

const LONGEST_REDIRECT_URL = 100;

/** A running emulator. */
export interface Emulator {
  /** Base address, as the service's `{base_url}`: without the API's path. */
  readonly url: string;
  /** Base of the codes' short links. */
  readonly redirectUrl: string;
  /** A key with all scopes. */
  readonly apiKey: string;
  readonly workspace: Workspace;
  readonly control: Control;
  /** Ends everything at once. Deliveries under way stay pending in the database. */
  stop(): Promise<void>;
}

/**
 * Starts the QR code service on this machine.
 * @throws DatabaseFileError when the database file can't be used
 * @throws PortInUseError when the port is taken
 * @throws TypeError for options that can't be used
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const now = options.now ?? Date.now;
  const store = openStore(options.db ?? ':memory:', now);
  try {
    return await start(store, now, options);
  } catch (error) {
    store.close();
    throw error;
  }
}

async function start(store: Store, now: () => number, options: EmulatorOptions): Promise<Emulator> {
  const log = options.log ?? (() => undefined);
  const host = options.host ?? '127.0.0.1';
  const connectTo = readConnectTo(options.connectTo ?? {});
  let redirectUrl = readRedirectUrl(options.redirectUrl);

  const dispatcher = createDispatcher({
    store,
    poster: createPoster(connectTo, DELIVERY_TIMEOUT_MS),
    now,
    retryBaseMs: options.retryBaseMs ?? DEFAULT_RETRY_BASE_MS,
    log,
  });
  const announce = announcer(store, now, dispatcher.wake);
  const context: EmulatorContext = {
    store,
    announce,
    codes: codeService(store, announce, () => redirectUrl),
    faults: createFaults(),
    requests: createRequestLog(),
    wire: createWire(readWireShape(options.wireShape)),
    rateLimit: options.rateLimit ?? DEFAULT_RATE_LIMIT,
    allowedDimensions: options.allowedDimensions ?? DIMENSIONS,
    now,
    redirectUrl: () => redirectUrl,
    log,
  };
  const apiKey = createKey(store, {
    name: 'Emulator key',
    ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
  }).apiKey;
  for (const key of options.keys ?? []) createKey(store, key);

  const server = await listen(createApp(context), host, options.port ?? 0);
  const url = `http://${shownHost(host)}:${server.port}`;
  redirectUrl ||= url + REDIRECT_PATH;

  // Whatever an earlier run left pending goes on.
  dispatcher.wake();

  let stopping: Promise<void> | undefined;
  return {
    url,
    redirectUrl,
    apiKey,
    workspace: store.workspace,
    control: createControl(context, dispatcher),
    stop: () => (stopping ??= stop()),
  };

  async function stop(): Promise<void> {
    dispatcher.stop();
    await server.close();
    store.close();
  }
}

/** An address that a client on this machine can use. */
function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function readRedirectUrl(url: string | undefined): string {
  if (url !== undefined && !/^https?:\/\/[^?#]+$/.test(url))
    throw new TypeError(`The redirect URL ${url} is no absolute http or https URL.`);
  // A longer one would need a symbol of more modules than the smallest image has pixels.
  if (url !== undefined && url.length > LONGEST_REDIRECT_URL)
    throw new TypeError(`The redirect URL has more than ${LONGEST_REDIRECT_URL} characters.`);
  return url?.replace(/\/+$/, '') ?? '';
}
