import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DeliveryFault, Fault } from '../config/faults.ts';
import type { Settings } from '../config/options.ts';
import type { ActiveFault } from './faults.ts';
import type { RateWindow } from './rateWindows.ts';
import type { ApiKey, Delivery, QrRecord, Scan, StoredResponse, Subscription } from './records.ts';
import type { RequestEntry } from './requestLog.ts';

/** A database file can't be used. The message says which and why. The file stays unchanged. */
export class DatabaseFileError extends Error {
  override readonly name = 'DatabaseFileError';
}

/** Everything that the emulator remembers: plain data, so that it can be copied and written as JSON. */
export type State = ReturnType<typeof emptyState>;

/** Everything about a running emulator that a snapshot contains. */
export interface Database {
  state: State;
  session: ReturnType<typeof emptySession>;
}

/** Marks a file as the emulator's own. */
const FORMAT = 'qr-service-emulator';
const VERSION = 2;

function emptyState() {
  return {
    format: FORMAT,
    version: VERSION,
    /** ID of the process that uses the file; 0 for none. */
    usedBy: 0,
    /** How many seeded IDs each prefix has used. */
    idCounts: new Map<string, number>(),
    /** Last sequence number that was used. */
    lastSeq: 0,
    /** Time of the last change of a code. */
    lastWrite: 0,
    workspace: { id: '', name: 'Emulated workspace' },
    /** By the hash of the secret. */
    apiKeys: new Map<string, ApiKey>(),
    codes: new Map<string, QrRecord>(),
    /** IDs of the codes. */
    slugs: new Map<string, string>(),
    /** Previous versions of codes, in the order in which they were replaced. */
    history: [] as (QrRecord & { supersededAt: number })[],
    scans: [] as Scan[],
    /** A removed subscription stays, because its deliveries refer to it. */
    subscriptions: new Map<string, Subscription & { removedAt?: number }>(),
    deliveries: new Map<string, Delivery>(),
    /** By API key and Idempotency-Key. */
    idempotency: new Map<string, StoredResponse & { createdAt: number }>(),
  };
}

/** What the emulator forgets when it stops: plain data, so that it can be copied. */
function emptySession(settings: Settings) {
  return {
    settings,
    /** How far the clock was moved, in milliseconds. */
    clockOffset: 0,
    requestFaults: [] as ActiveFault<Fault>[],
    deliveryFaults: [] as ActiveFault<DeliveryFault>[],
    /** By key, or by address for requests without a known key. */
    rateWindows: new Map<string, RateWindow>(),
    /** The latest ones, oldest first. */
    requests: [] as RequestEntry[],
    requestCount: 0,
  };
}

/**
 * Opens the database with the state from the file, or an empty one. `saveState` writes it.
 * @throws DatabaseFileError when the file isn't the emulator's, can't be read, or is used by another process
 */
export function openDatabase(file: string | undefined, settings: Settings): Database {
  const state = file !== undefined && existsSync(file) ? read(file) : emptyState();
  if (file !== undefined && isRunning(state.usedBy))
    throw new DatabaseFileError(
      `The database file ${file} is in use by process ${state.usedBy}; stop it first.`,
    );
  state.usedBy = process.pid;
  return { state, session: emptySession(settings) };
}

/** Whether another process has this ID. One that was killed doesn't keep its file. */
function isRunning(id: number): boolean {
  try {
    return id !== 0 && id !== process.pid && process.kill(id, 0);
  } catch {
    return false;
  }
}

/**
 * Writes the state to its file, if there is one.
 * @throws DatabaseFileError when the file can't be written
 */
export function saveState(file: string | undefined, state: State): void {
  if (file === undefined) return;
  if (!existsSync(dirname(resolve(file))))
    throw new DatabaseFileError(`The database file ${file} can't be created: its folder doesn't exist.`);
  const json = JSON.stringify(state, (_, value: unknown) =>
    value instanceof Map ? { $map: [...value] } : value,
  );
  try {
    // A process that is killed while it writes leaves the previous file.
    writeFileSync(`${file}.tmp`, json, { mode: 0o600 });
    renameSync(`${file}.tmp`, file);
  } catch (error) {
    throw new DatabaseFileError(`The database file ${file} can't be written (${codeOf(error)}).`, {
      cause: error,
    });
  }
}

function read(file: string): State {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new DatabaseFileError(`The database file ${file} can't be read (${codeOf(error)}).`, {
      cause: error,
    });
  }
  const state = parse(text);
  if (state?.format !== FORMAT)
    throw new DatabaseFileError(
      `The database file ${file} isn't one of this emulator; choose another file, or delete it to start over.`,
    );
  if (state.version !== VERSION)
    throw new DatabaseFileError(
      `The database file ${file} was created by another version of the emulator; choose another file.`,
    );
  return { ...emptyState(), ...state };
}

function parse(text: string): Partial<State> | undefined {
  try {
    return JSON.parse(text, (_, value: { $map?: [unknown, unknown][] } | null) =>
      Array.isArray(value?.$map) ? new Map(value.$map) : value,
    ) as Partial<State>;
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
