import type { z } from 'zod';
import { readConnectTo, SETTINGS, type OPTIONS } from '../config/options.ts';
import { KEY } from '../config/seed.ts';
import { createDispatcher } from '../delivery/dispatcher.ts';
import { createPoster } from '../delivery/post.ts';
import { codeService, createSummarize } from '../domain/codes.ts';
import { createEmitEvent } from '../domain/events.ts';
import { plantSeed } from '../domain/plantSeed.ts';
import { deliveryFaultsOf, requestFaultsOf } from '../store/faults.ts';
import { createStore } from '../store/index.ts';
import { openDatabase, saveState } from '../store/state.ts';
import { createClock } from './clock.ts';
import { createSnapshots } from './snapshots.ts';

/** Time limit of one delivery attempt. */
const DELIVERY_TIMEOUT_MS = 10_000;

/** Shared by the parts of one running emulator. */
export type EmulatorContext = ReturnType<typeof createContext>;

/**
 * Opens the database, plants the initial data and connects the parts of an emulator.
 * @throws DatabaseFileError when the database file can't be used
 * @throws InputError for an invalid rule of `connectTo`
 */
export function createContext(options: z.output<typeof OPTIONS>) {
  const { db, host, log, rateLimit, retryBaseMs, rewriteResponse } = options;
  const poster = createPoster(readConnectTo(options.connectTo), DELIVERY_TIMEOUT_MS);
  const database = openDatabase(db, SETTINGS.strip().parse(options));
  const clock = createClock(options.now, database);
  const { now } = clock;
  const store = createStore(database, now, options);
  const deliveryFaults = deliveryFaultsOf(database);
  const dispatcher = createDispatcher({ store, poster, faults: deliveryFaults, now, retryBaseMs, log });
  const emitEvent = createEmitEvent(store, now, dispatcher.wake);
  const shortLinks = { base: options.redirectUrl?.replace(/(?<!\/)\/+$/, '') ?? '' };
  const summarize = createSummarize(shortLinks);

  const { codes, subscriptions } = store.counts();
  const { apiKey } = store.apiKeys.create(KEY.parse({ name: 'Emulator key', apiKey: options.apiKey }));
  for (const key of options.keys) store.apiKeys.create(key);
  if (codes === 0 && subscriptions === 0) plantSeed(store, options.seed, now);
  // A file that can't be written should prevent the start.
  saveState(db, database.state);

  let aborting = new AbortController();
  return {
    database,
    store,
    /** The key with all scopes. */
    apiKey,
    codes: codeService(store, emitEvent, summarize),
    emitEvent,
    dispatcher,
    requestFaults: requestFaultsOf(database),
    deliveryFaults,
    rateLimit,
    clock,
    /** Milliseconds since the epoch. */
    now,
    settings: () => database.session.settings,
    rewriteResponse,
    /** IP address or host name that the server listens on. */
    host,
    /** Base URL of the short links; empty until the server listens, if it is the server's own. */
    shortLinks,
    summarize,
    /** Aborts when the current state is replaced by a restore, and when the emulator stops. */
    stateSignal: (): AbortSignal => aborting.signal,
    snapshots: createSnapshots(database, () => {
      aborting.abort();
      aborting = new AbortController();
      dispatcher.restart();
    }),
    log,
    /** Stops immediately. Deliveries in flight stay pending in the database. */
    stop(): void {
      aborting.abort();
      dispatcher.stop();
    },
  };
}
