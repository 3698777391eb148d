import { changeSettings, checkOptions, readConnectTo, type EmulatorOptions } from './config/options.ts';
import { readKey, readSeed } from './config/seed.ts';
import { createClock } from './control/clock.ts';
import type { EmulatorContext } from './control/context.ts';
import { createControl, type Control } from './control/control.ts';
import { createRequestLog } from './control/requestLog.ts';
import { changeable, createSnapshots } from './control/snapshots.ts';
import { createDispatcher } from './delivery/dispatcher.ts';
import { createPoster } from './delivery/post.ts';
import { codeService, createSummarize } from './domain/codes.ts';
import { createEmitEvent, createInventEventData } from './domain/events.ts';
import { createSubmitFeedback } from './domain/feedback.ts';
import { plantSeed } from './domain/plantSeed.ts';
import { createRateWindows } from './domain/rateWindows.ts';
import { createDeliveryFaults } from './faults/deliveryFaults.ts';
import { createRequestFaults } from './faults/requestFaults.ts';
import { REDIRECT_PATH } from './http/redirect.ts';
import { createApp, listen } from './server.ts';
import { openStore, type Store } from './store/index.ts';
import type { Workspace } from './store/records.ts';

/** Time limit of one delivery attempt. */
const DELIVERY_TIMEOUT_MS = 10_000;
const DEFAULT_RETRY_BASE_MS = 1_000;
const DEFAULT_RATE_LIMIT = { limit: 2_000, windowSeconds: 10 };

/** A running emulator. */
export interface Emulator {
  /** Base URL, like the service's `{base_url}`: without the API's path. */
  readonly url: string;
  /** Base URL of the codes' short links. */
  readonly redirectUrl: string;
  /** A key with all scopes. */
  readonly apiKey: string;
  readonly workspace: Workspace;
  readonly control: Control;
  /** Stops everything immediately. Deliveries in flight stay pending in the database. */
  stop(): Promise<void>;
}

/**
 * Starts the QR code service on this machine.
 * @throws DatabaseFileError when the database file can't be used
 * @throws PortInUseError when the port is in use
 * @throws InputError for an invalid option, with its name
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  checkOptions(options);
  const { db = ':memory:', updatedAtStepMs = 1, host = '127.0.0.1', log = () => undefined } = options;
  const seed = readSeed(options.seed ?? {});
  const connectTo = readConnectTo(options.connectTo);
  const settings = changeable(changeSettings(options));
  const clock = createClock(options.now ?? Date.now);
  const { now } = clock;
  const store = openStore(db, now, { idSeed: options.idSeed, updatedAtStepMs });

  const deliveryFaults = createDeliveryFaults();
  const dispatcher = createDispatcher({
    store,
    poster: createPoster(connectTo, DELIVERY_TIMEOUT_MS),
    faults: deliveryFaults,
    now,
    retryBaseMs: options.retryBaseMs ?? DEFAULT_RETRY_BASE_MS,
    log,
  });
  const apiKey = plant(store);
  let redirectUrl = options.redirectUrl?.replace(/(?<!\/)\/+$/, '') ?? '';
  let state = new AbortController();
  const emitEvent = createEmitEvent(store, now, dispatcher.wake);
  const summarize = createSummarize(() => redirectUrl);
  const rateLimit = options.rateLimit ?? DEFAULT_RATE_LIMIT;
  const context: EmulatorContext = {
    store,
    apiKey,
    emitEvent,
    inventEventData: createInventEventData(store, summarize),
    codes: codeService(store, emitEvent, summarize),
    submitFeedback: createSubmitFeedback(store, emitEvent, () => settings.current().lowScoreNotices),
    requestFaults: createRequestFaults(),
    deliveryFaults,
    rateLimit,
    rateWindows: createRateWindows(rateLimit, now),
    clock,
    requests: createRequestLog(),
    settings,
    rewriteResponse: options.rewriteResponse,
    host,
    stateSignal: () => state.signal,
    now,
    summarize,
    log,
  };
  const { requestFaults, rateWindows, requests } = context;
  const parts = [store, clock, store.ids, requestFaults, deliveryFaults, rateWindows, requests, settings];
  const snapshots = createSnapshots(parts, () => {
    state.abort();
    state = new AbortController();
    dispatcher.restart();
  });
  const control = createControl(context, dispatcher, snapshots);

  const server = await listen(createApp(context, control), host, options.port ?? 0);
  const url = `http://${clientHost(host)}:${server.port}`;
  redirectUrl ||= url + REDIRECT_PATH;
  // Resume deliveries that an earlier run left pending.
  dispatcher.wake();

  let stopping: Promise<void> | undefined;
  return {
    url,
    redirectUrl,
    apiKey,
    workspace: store.workspace,
    control,
    stop: () => (stopping ??= stop()),
  };

  /** Creates the keys and the initial data, and returns the all-scopes key. */
  function plant({ apiKeys, counts }: Store): string {
    const { codes, subscriptions } = counts.now();
    const main = apiKeys.create({ ...readKey({ name: 'Emulator key' }), apiKey: options.apiKey });
    for (const key of options.keys ?? []) apiKeys.create(readKey(key));
    if (codes === 0 && subscriptions === 0) plantSeed(store, seed, now);
    return main.apiKey;
  }

  async function stop(): Promise<void> {
    state.abort();
    dispatcher.stop();
    await server.close();
    store.close();
  }
}

/** A host that clients on this machine can connect to. */
function clientHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
