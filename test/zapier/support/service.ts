import { startEmulator, type Emulator, type EmulatorOptions } from 'qr-service-emulator';
import { startReceiver } from '../../../engines/receiver.ts';
import { toZapierHeaders, type HookRequest } from '../../../engines/zapier/hook.ts';

/** Public URL of Zapier's hooks. The emulator connects to a local receiver instead. */
export const HOOK_URL = 'https://hooks.zapier.example/hooks/standard/1/abc';

/** The service and Zapier's endpoint for hooks. */
export interface Service {
  emulator: Emulator;
  /** Requests that arrived at Zapier's endpoint for hooks, oldest first. */
  hooks: { requests: HookRequest[] };
  close(): Promise<void>;
}

export async function startService(options: EmulatorOptions = {}): Promise<Service> {
  const hooks: Service['hooks'] = { requests: [] };
  const { host } = new URL(HOOK_URL);
  const receiver = await startReceiver();
  receiver.open(host, ({ headers, rawBody }) => {
    hooks.requests.push({ headers: toZapierHeaders(headers), rawBody: rawBody.toString() });
    const body = '{"status":"success"}';
    return Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, body });
  });
  const emulator = await startEmulator({
    connectTo: { [host]: receiver.address },
    retryBaseMs: 20,
    ...options,
  });
  return {
    emulator,
    hooks,
    async close() {
      await emulator.stop();
      await receiver.close();
    },
  };
}
