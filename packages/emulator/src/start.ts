import type { z } from 'zod';
import { OPTIONS, type EmulatorOptions } from './config/options.ts';
import { createContext } from './control/context.ts';
import { createControl, type Control } from './control/control.ts';
import { REDIRECT_PATH } from './http/redirect.ts';
import { createApp, listen } from './server.ts';
import type { Workspace } from './store/records.ts';
import { saveState } from './store/state.ts';
import { readInput } from './validation/input.ts';

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
  const complete = readInput(OPTIONS as z.ZodType<z.output<typeof OPTIONS>>, options);
  const { host, port, db } = complete;
  const context = createContext(complete);
  const { shortLinks, apiKey, dispatcher, store, database } = context;
  const control = createControl(context);
  const server = await listen(createApp(context, control), host, port);
  const url = `http://${clientHost(host)}:${server.port}`;
  shortLinks.base ||= url + REDIRECT_PATH;
  // Resume deliveries that an earlier run left pending.
  dispatcher.wake();

  async function stop(): Promise<void> {
    context.stop();
    await server.close();
    saveState(db, { ...database.state, usedBy: 0 });
  }
  let stopping: Promise<void> | undefined;
  return {
    url,
    redirectUrl: shortLinks.base,
    apiKey,
    workspace: store.workspace,
    control,
    stop: () => (stopping ??= stop()),
  };
}

/** A host that clients on this machine can connect to. */
function clientHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
