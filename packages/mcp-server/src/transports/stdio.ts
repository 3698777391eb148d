import { randomUUID } from 'node:crypto';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { CreateServer } from '../server/createServerFactory.ts';

/** Serves one client over stdin and stdout until it closes one of them or `stopped` is aborted. */
export async function serveOverStdio(
  createServer: CreateServer,
  { log, stopped }: { log: (message: string) => void; stopped: AbortSignal },
): Promise<void> {
  if (stopped.aborted) return;
  const session = { id: randomUUID() };
  const transport = new StdioServerTransport();
  const handle = serveStdio(() => createServer(session), {
    transport,
    onerror: ({ message }) => log(message),
  });
  stopped.addEventListener('abort', () => void handle.close());
  const { onclose } = transport;
  await new Promise<void>((resolve) => {
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
  });
}
