import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Control } from 'qr-service-emulator';
import type { ControlCall, ControlMethod, EmulatorMessage, EmulatorSettings } from './messages.ts';

/** The emulator's control, called from another process. */
export type RemoteControl = {
  [Method in ControlMethod]: (
    ...args: Parameters<Control[Method]>
  ) => Promise<Awaited<ReturnType<Control[Method]>>>;
};

/** The emulator couldn't be started, or its process exited before `stop()`. */
export class EmulatorProcessError extends Error {}

/** An emulator in its own process. */
export interface EmulatorProcess {
  url: string;
  redirectUrl: string;
  apiKey: string;
  pid: number;
  control: RemoteControl;
  /** Rejects with an EmulatorProcessError when the emulator exits before `stop()`. */
  lost: Promise<never>;
  stop(): Promise<void>;
}

/**
 * Starts the emulator. If the port is busy, tries the next ones.
 * @throws EmulatorProcessError when it can't be started
 */
export async function startEmulatorProcess(
  settings: EmulatorSettings & { port: number },
): Promise<EmulatorProcess> {
  for (let port = settings.port; ; port++) {
    const started = await tryToStart({ ...settings, port });
    if (!('failed' in started)) return started;
    const { name, message } = started.failed;
    if (name !== 'PortInUseError' || port === settings.port + 50) throw new EmulatorProcessError(message);
  }
}

async function tryToStart(
  settings: EmulatorSettings,
): Promise<EmulatorProcess | { failed: { name: string; message: string } }> {
  const child = fork(fileURLToPath(new URL('child.ts', import.meta.url)), [JSON.stringify(settings)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const firstMessage = await new Promise<EmulatorMessage>((resolve) => {
    child.once('message', (message) => resolve(message as EmulatorMessage));
    child.once('exit', () =>
      resolve({ kind: 'failed', name: 'Error', message: "The emulator didn't start." }),
    );
  });
  if (firstMessage.kind === 'failed') return { failed: firstMessage };
  if (firstMessage.kind !== 'ready') throw new EmulatorProcessError("The emulator didn't start.");

  let stopping = false;
  const lost = ended.then((): never => {
    if (stopping) return new Promise<never>(() => undefined) as never;
    throw new EmulatorProcessError('The emulator stopped unexpectedly.');
  });
  lost.catch(() => undefined);
  return {
    url: firstMessage.url,
    redirectUrl: firstMessage.redirectUrl,
    apiKey: firstMessage.apiKey,
    pid: child.pid ?? 0,
    control: remoteControl(child),
    lost,
    async stop() {
      stopping = true;
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/** Sends each call to the emulator's process and waits for its reply. */
function remoteControl(child: ChildProcess): RemoteControl {
  const pending = new Map<number, (value: unknown) => void>();
  let lastId = 0;
  child.on('message', (message: EmulatorMessage) => {
    if (message.kind !== 'reply') return;
    pending.get(message.id)?.(message.value);
    pending.delete(message.id);
  });
  return new Proxy({} as RemoteControl, {
    get:
      (_target, method) =>
      (...args: unknown[]) =>
        new Promise((resolve) => {
          const call: ControlCall = { id: ++lastId, method: method as ControlMethod, args };
          pending.set(call.id, resolve);
          // If the emulator is gone, `lost` rejects.
          if (child.connected) child.send(call, () => undefined);
        }),
  });
}
