import { createHash } from 'node:crypto';
import type { Settings } from '../config/options.ts';
import type { WireShape } from '../config/wireShape.ts';
import { readKey } from '../config/readKey.ts';
import { readSettings } from '../config/readOptions.ts';
import { readWireShape } from '../config/readWireShape.ts';
import type { DeliveryFault } from '../faults/deliveryFaults.ts';
import type { SetFault } from '../faults/faultList.ts';
import type { Fault } from '../faults/requestFaults.ts';
import { DumpError, type Dump } from '../store/dump.ts';
import { SCHEMA_VERSION } from '../store/schema.ts';
import type { EmulatorContext } from './context.ts';
import type { Snapshotable } from './snapshots.ts';

/** Names the format of a state file. */
export const STATE_FORMAT = 'qr-service-emulator snapshot';
/** Incremented when the file's format changes. */
const STATE_VERSION = 1;
/** Prefix of the signing secrets that replace those left out of a file. */
export const REPLACED_SECRET = 'whsec_replaced';

/** The state of an emulator, as JSON to keep or to send to someone else. */
export interface StateFile {
  format: string;
  version: number;
  /** Version of the tables. */
  tables: number;
  /** ISO 8601. */
  savedAt: string;
  /** Whether it holds signing secrets. */
  withSecrets: boolean;
  /** SHA-256 of `state` as JSON. */
  checksum: string;
  state: State;
}

interface State {
  tables: Dump;
  clockOffsetMs: number;
  wireShape: WireShape;
  settings: Settings;
  faults: Fault[];
  deliveryFaults: DeliveryFault[];
}

/** What a loaded file brought. */
export interface LoadedState {
  codes: number;
  subscriptions: number;
  deliveries: number;
  scans: number;
  keys: number;
  /** Subscriptions that got a new signing secret, because the file has none. */
  newSecrets: number;
}

/** A file can't be loaded. The message is a sentence, and nothing was changed. */
export class StateFileError extends TypeError {
  override readonly name = 'StateFileError';
}

/** Saves and loads the whole state. */
export interface StateFiles {
  save(options: { withSecrets: boolean }): StateFile;
  /** Replaces the whole state. @throws StateFileError when the file can't be used */
  load(file: unknown): LoadedState;
}

/**
 * @param parts the state in memory, to restore if loading fails
 * @param onLoad called once the state is replaced
 */
export function createStateFiles(
  {
    store,
    clock,
    wireShape,
    settings,
    requestFaults,
    deliveryFaults,
    requests,
    apiKey,
    now,
  }: EmulatorContext,
  parts: readonly Snapshotable[],
  onLoad: () => void,
): StateFiles {
  function apply(state: State): number {
    const { tables, clockOffsetMs, faults, deliveryFaults: others } = state;
    wireShape.set(readWireShape(state.wireShape));
    settings.set(readSettings(state.settings, settings.current()));
    requestFaults.clear();
    for (const fault of faults) requestFaults.add(withTimes(fault));
    deliveryFaults.clear();
    for (const fault of others) deliveryFaults.add(withTimes(fault));
    clock.advance(clockOffsetMs - clock.offset());
    return store.transaction(() => {
      const known = secretsOf(store.dump());
      store.load(tables);
      // The key that this emulator printed keeps working.
      store.apiKeys.create(readKey({ name: 'Emulator key', apiKey }));
      return addSecrets(known);
    });
  }

  /** Gives each subscription whose secret was left out the one that it has here, or a new one. */
  function addSecrets(known: ReadonlyMap<string, string>): number {
    const missing = store.subscriptions.withoutSecret();
    for (const id of missing)
      store.subscriptions.setSecret(id, known.get(id) ?? store.ids.newSecret(REPLACED_SECRET));
    return missing.filter((id) => !known.has(id)).length;
  }

  return {
    save({ withSecrets }) {
      const tables = store.dump();
      const state: State = {
        tables: withSecrets ? tables : withoutSecrets(tables),
        clockOffsetMs: clock.offset(),
        wireShape: wireShape.current(),
        settings: settings.current(),
        faults: requestFaults.all().map(remaining),
        deliveryFaults: deliveryFaults.all().map(remaining),
      };
      return {
        format: STATE_FORMAT,
        version: STATE_VERSION,
        tables: SCHEMA_VERSION,
        savedAt: new Date(now()).toISOString(),
        withSecrets,
        checksum: checksumOf(state),
        state,
      };
    },
    load(file) {
      const state = readStateFile(file);
      const undo = parts.map((part) => part.save());
      let newSecrets: number;
      try {
        newSecrets = apply(state);
      } catch (error) {
        for (const restore of undo) restore();
        if (!(error instanceof DumpError || error instanceof TypeError)) throw error;
        throw damaged(error.message.replace(/\.$/, ''));
      }
      requests.clear();
      onLoad();
      const { codes, subscriptions, deliveries, scans } = store.counts.now();
      return { codes, subscriptions, deliveries, scans, keys: store.apiKeys.all().length, newSecrets };
    },
  };
}

/** @throws StateFileError for a file that is foreign, damaged or of another version */
function readStateFile(file: unknown): State {
  const { format, version, tables, checksum, state } = (file ?? {}) as Partial<StateFile>;
  if (format !== STATE_FORMAT) throw new StateFileError("It isn't a snapshot of the QR service emulator.");
  if (!Number.isInteger(version) || !Number.isInteger(tables)) throw damaged('its version is missing');
  if (Number(version) > STATE_VERSION || Number(tables) > SCHEMA_VERSION)
    throw new StateFileError(
      'It was saved by a newer version of the emulator. Update this one: npm install qr-service-emulator@latest.',
    );
  if (version !== STATE_VERSION || tables !== SCHEMA_VERSION)
    throw new StateFileError(
      'It was saved by an older version of the emulator, which this one can no longer read. Load it with that version.',
    );
  if (state === undefined || checksum !== checksumOf(state)) throw damaged("its checksum doesn't match");
  return state;
}

function damaged(reason: string): StateFileError {
  return new StateFileError(`It is damaged: ${reason}. Save it again.`);
}

function checksumOf(state: State): string {
  return createHash('sha256').update(JSON.stringify(state)).digest('hex');
}

/** A fault with the times that it still applies; JSON stores Infinity as null. */
function remaining<F extends Fault | DeliveryFault>({ fault, left }: SetFault<F>): F {
  return { ...fault, times: left };
}

function withTimes<F extends Fault | DeliveryFault>(fault: F): F {
  return { ...fault, times: (fault.times as number | null | undefined) ?? Infinity };
}

/** The signing secrets by the ID of their subscription. */
function secretsOf({ subscriptions }: Dump): Map<string, string> {
  const { columns = [], rows = [] } = subscriptions ?? {};
  const [id, secret] = [columns.indexOf('id'), columns.indexOf('secret')];
  return new Map(rows.map((row) => [String(row[id]), String(row[secret])]));
}

/** Leaves out the signing secrets, and the stored responses that contain one. */
function withoutSecrets(tables: Dump): Dump {
  const { subscriptions, idempotency } = tables;
  if (subscriptions === undefined || idempotency === undefined) return tables;
  const secrets = [...secretsOf(tables).values()];
  const column = subscriptions.columns.indexOf('secret');
  const body = idempotency.columns.indexOf('body');
  return {
    ...tables,
    subscriptions: { ...subscriptions, rows: subscriptions.rows.map((row) => row.with(column, '')) },
    idempotency: {
      ...idempotency,
      rows: idempotency.rows.filter((row) => !secrets.some((secret) => String(row[body]).includes(secret))),
    },
  };
}
