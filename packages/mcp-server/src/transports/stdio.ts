import { randomUUID } from 'node:crypto';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { CreateServer } from '../server/createServerFactory.ts';

/** Stdin and stdout, until the client closes either of them or sends a message that is too large. */
class StdioConnection extends StdioServerTransport {
  readonly closed: Promise<void>;
  #end: () => void = () => undefined;

  constructor() {
    super();
    this.closed = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  override async close(): Promise<void> {
    await super.close();
    this.#end();
  }
}

/** Serves one client over stdin and stdout until the connection ends or `stopped` is aborted. */
export async function serveOverStdio(
  createServer: CreateServer,
  { log, stopped }: { log: (message: string) => void; stopped: AbortSignal },
): Promise<void> {
  const session = { id: randomUUID() };
  const transport = new StdioConnection();
  if (stopped.aborted) return;
  const handle = serveStdio(() => createServer(session), {
    transport,
    // The schema's issues are pages of JSON.
    onerror: (error) => log('issues' in error ? "ignored what isn't a JSON-RPC message" : error.message),
  });
  stopped.addEventListener('abort', () => void handle.close());
  await transport.closed;
  await handle.close();
}
