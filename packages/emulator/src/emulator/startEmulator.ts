import { omitUndefined } from '@qr-service/core/connector';
import { readRedirectUrl, readDeliveriesKept } from '../config/checkOptions.ts';
import { DEFAULT_RETRY_BASE_MS, type EmulatorOptions } from '../config/options.ts';
import { createClock, type MovableClock } from '../control/clock.ts';
import type { EmulatorContext } from '../control/context.ts';
import { createControl, type Control } from '../control/control.ts';
import { createRequestLog } from '../control/requestLog.ts';
import { createSetting } from '../control/setting.ts';
import { createSnapshots } from '../control/snapshots.ts';
import { readConnectTo } from '../delivery/connectTo.ts';
import { createDispatcher } from '../delivery/dispatcher.ts';
import { describeAttempt } from '../delivery/describeAttempt.ts';
import { createPoster } from '../delivery/post.ts';
import { codeService } from '../domain/codes.ts';
import { createEmitEvent } from '../domain/emitEvent.ts';
import { feedbackService } from '../domain/feedback.ts';
import { createInventEventData } from '../domain/inventEventData.ts';
import { plantSeed } from '../domain/plantSeed.ts';
import { createSummarize } from '../domain/qrSummary.ts';
import { createRateWindows } from '../domain/rateWindows.ts';
import { readBehavior, type Behavior } from '../config/readOptions.ts';
import { readKey } from '../config/readKey.ts';
import { readSeed, type CheckedSeed } from '../config/readSeed.ts';
import { subscriptionService } from '../domain/subscriptions.ts';
import { createDeliveryFaults } from '../faults/deliveryFaults.ts';
import { createRequestFaults } from '../faults/requestFaults.ts';
import { listen } from '../http/listen.ts';
import { REDIRECT_PATH } from '../http/redirect/routes.ts';
import { openStore, type Store } from '../store/index.ts';
import type { Workspace } from '../store/records.ts';
import { createApp } from './app.ts';

/** Time limit of one delivery attempt. */
const DELIVERY_TIMEOUT_MS = 10_000;

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
 * @throws TypeError for invalid options
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const seed = readSeed(options.seed ?? {});
  const behavior = readBehavior(options);
  const { updatedAtStepMs } = behavior;
  const clock = createClock(options.now ?? Date.now);
  const store = openStore(options.db ?? ':memory:', clock.now, { idSeed: options.idSeed, updatedAtStepMs });
  try {
    return await start(store, clock, seed, behavior, options);
  } catch (error) {
    store.close();
    throw error;
  }
}

async function start(
  store: Store,
  clock: MovableClock,
  seed: CheckedSeed,
  { settings: initialSettings, fixed, wireShape: initialShape }: Behavior,
  options: EmulatorOptions,
): Promise<Emulator> {
  const { now } = clock;
  const log = options.log ?? (() => undefined);
  const host = options.host ?? '127.0.0.1';
  const connectTo = readConnectTo(options.connectTo ?? {});
  let redirectUrl = readRedirectUrl(options.redirectUrl);

  const deliveryFaults = createDeliveryFaults();
  const dispatcher = createDispatcher({
    store,
    poster: createPoster(connectTo, DELIVERY_TIMEOUT_MS),
    faults: deliveryFaults,
    now,
    retryBaseMs: options.retryBaseMs ?? DEFAULT_RETRY_BASE_MS,
    deliveriesKept: readDeliveriesKept(options.deliveriesKept),
    report: (attempt) => log(describeAttempt(attempt)),
  });
  let state = new AbortController();
  const emitEvent = createEmitEvent(store, now, dispatcher.wake);
  const { apiKey } = store.apiKeys.create(
    readKey(omitUndefined({ name: 'Emulator key', apiKey: options.apiKey })),
  );
  for (const key of options.keys ?? []) store.apiKeys.create(readKey(key));
  const { codes, subscriptions } = store.counts.now();
  if (codes === 0 && subscriptions === 0) plantSeed(store, seed, now);
  const settings = createSetting(initialSettings);
  const wireShape = createSetting(initialShape);
  const summarize = createSummarize(() => redirectUrl, wireShape.current);
  const context: EmulatorContext = {
    store,
    apiKey,
    emitEvent,
    inventEventData: createInventEventData(store, summarize),
    codes: codeService(store, emitEvent, summarize),
    feedback: feedbackService(store, emitEvent, now, () => settings.current().lowScoreNotices),
    subscriptions: subscriptionService(store, now),
    requestFaults: createRequestFaults(),
    deliveryFaults,
    rateWindows: createRateWindows(fixed.rateLimit, now),
    clock,
    requests: createRequestLog(),
    wireShape,
    settings,
    fixed,
    host,
    stateSignal: () => state.signal,
    now,
    summarize,
    log,
  };
  const { requestFaults, rateWindows, requests } = context;
  const parts = [
    store,
    clock,
    store.ids,
    requestFaults,
    deliveryFaults,
    rateWindows,
    requests,
    wireShape,
    settings,
  ];
  const restart = () => {
    state.abort();
    state = new AbortController();
    dispatcher.restart();
  };
  const snapshots = createSnapshots(parts, restart);
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
