import { startReceiver } from '../../../engines/receiver.ts';
import { toZapierHeaders, type HookRequest } from '../../../engines/zapier/index.ts';

/** Zapier's endpoint for hooks: stores each request as Zapier passes it to the app, and responds with 200. */
export interface HookServer {
  /** `127.0.0.1:port`, for the emulator's `connectTo`. */
  address: string;
  /** Received requests, oldest first. */
  requests: HookRequest[];
  close(): Promise<void>;
}

export async function startHookServer(host: string): Promise<HookServer> {
  const requests: HookRequest[] = [];
  const receiver = await startReceiver();
  receiver.open(host, ({ headers, rawBody }) => {
    requests.push({ headers: toZapierHeaders(headers), rawBody: rawBody.toString() });
    const body = '{"status":"success"}';
    return Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, body });
  });
  return { address: receiver.address, requests, close: () => receiver.close() };
}
