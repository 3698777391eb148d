import { randomUUID } from 'node:crypto';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { CreateServer } from '../server/createServerFactory.ts';

/** Serves one client over stdin and stdout until stdin ends. */
export async function serveOverStdio(
  createServer: CreateServer,
  { log, stopped }: { log: (message: string) => void; stopped: AbortSignal },
): Promise<void> {
  const session = { id: randomUUID() };
  const handle = serveStdio(() => createServer(session), { onerror: (error) => log(error.message) });
  await new Promise<void>((resolve) => {
    process.stdin.once('close', resolve);
    process.stdin.once('end', resolve);
    stopped.addEventListener('abort', () => resolve());
  });
  await handle.close();
}
