// Runs the emulator in its own process, which ends with its parent.
import { startEmulator, type Control } from 'qr-service-emulator';
import type { ControlCall, ControlReply, EmulatorMessage, EmulatorSettings } from './messages.ts';

const settings = JSON.parse(process.argv[2] ?? '{}') as EmulatorSettings;
const send = (message: EmulatorMessage) => process.send?.(message);

// Ctrl-C reaches the whole process group. The parent decides when the emulator stops.
process.on('SIGINT', () => undefined);

try {
  const emulator = await startEmulator(settings);
  const { url, redirectUrl, apiKey } = emulator;
  process.on('message', (call: ControlCall) => void handleCall(emulator.control, call));
  process.on('disconnect', () => void emulator.stop().then(() => process.exit(0)));
  send({ kind: 'ready', url, redirectUrl, apiKey });
} catch (error) {
  const { name, message } = error as Error;
  send({ kind: 'failed', name, message });
  process.disconnect();
}

async function handleCall(control: Control, { id, method, args }: ControlCall): Promise<void> {
  const methods = control as unknown as Record<string, (...args: unknown[]) => unknown>;
  const reply: ControlReply = { kind: 'reply', id, value: await methods[method]?.(...args) };
  send(reply);
}
