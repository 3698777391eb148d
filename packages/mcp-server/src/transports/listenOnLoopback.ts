import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEFAULT_HTTP_PORT, UsageError } from '../config/config.ts';

/** Both addresses of this machine that `localhost` may mean. No other machine can reach them. */
const ADDRESSES = ['127.0.0.1', '::1'] as const;

/** How often to look for a port that is free at both addresses. */
const TRIES = 10;

/**
 * Listens on the loopback interface only.
 * @param port 0 for any free one
 * @returns the servers, at most one per address, and their port
 * @throws UsageError if the port can't be used
 */
export async function listenOnLoopback(
  createServer: () => Server,
  port: number,
): Promise<{ servers: Server[]; port: number }> {
  for (let tries = 1; ; tries++) {
    const servers: Server[] = [];
    let bound = port;
    try {
      for (const address of ADDRESSES) {
        const server = await listen(createServer(), bound, address);
        if (server === undefined) continue;
        servers.push(server);
        bound = (server.address() as AddressInfo).port;
      }
      return { servers, port: bound };
    } catch (error) {
      for (const server of servers) server.close();
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && port === 0 && tries < TRIES) continue;
      throw new UsageError(explain(port, code), { cause: error });
    }
  }
}

/** Resolves to undefined if this machine doesn't have the address, like a container without IPv6. */
function listen(
  server: Server,
  port: number,
  address: (typeof ADDRESSES)[number],
): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isAbsent = address === '::1' && /^E(?:ADDRNOTAVAIL|AFNOSUPPORT|INVAL)$/.test(error.code ?? '');
      if (isAbsent) resolve(undefined);
      else reject(error);
    });
    server.listen({ port, host: address }, () => resolve(server));
  });
}

function explain(port: number, code: string): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} is already in use. Stop the program that uses it, or choose another port: --http ${port === 65_535 ? port - 1 : port + 1}.`;
  if (code === 'EACCES' && port < 1024)
    return `Port ${port} needs administrator rights. Choose a port above 1023, for example --http ${DEFAULT_HTTP_PORT}.`;
  return `Can't listen on port ${port} (${code}). Choose another port.`;
}
