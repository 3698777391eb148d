import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UsageError } from '../config/config.ts';

/**
 * Listens on both addresses of this machine that `localhost` may mean. No other machine can reach them.
 * @param port 0 for any free one
 * @throws UsageError if the port can't be used
 */
export async function listenOnLoopback(
  createServer: () => Server,
  port: number,
): Promise<{ servers: Server[]; port: number }> {
  const servers: Server[] = [];
  let bound = port;
  try {
    for (const host of ['127.0.0.1', '::1']) {
      const server = createServer();
      if (!(await listen(server, { port: bound, host }))) continue;
      servers.push(server);
      bound = (server.address() as AddressInfo).port;
    }
    return { servers, port: bound };
  } catch (error) {
    for (const server of servers) server.close();
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `Can't listen on port ${port} (${code}). Stop the program that uses it, or choose another port with --http.`,
    );
  }
}

/** Resolves to false if this machine doesn't have the address, like a container without IPv6. */
function listen(server: Server, options: { port: number; host: string }): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (/^E(?:ADDRNOTAVAIL|AFNOSUPPORT|INVAL)$/.test(error.code ?? '')) resolve(false);
      else reject(error);
    });
    server.listen(options, () => resolve(true));
  });
}
