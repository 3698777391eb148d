import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Env } from './env.ts';
import { PortInUseError } from './PortInUseError.ts';

/** A server that accepts requests. */
interface RunningServer {
  port: number;
  /** Closes every connection immediately. */
  close(): Promise<void>;
}

/**
 * Starts the server.
 * @param port 0 for any free one
 * @throws PortInUseError, or Error if it can't listen for another reason
 */
export async function listen(app: Hono<Env>, host: string, port: number): Promise<RunningServer> {
  // Leaves the global Request and Response alone, because tests run the emulator in their own process.
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new PortInUseError(port) : listenError(host, port, error)),
    );
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listenError(host: string, port: number, cause: NodeJS.ErrnoException): Error {
  return new Error(`The emulator can't listen on ${host}, port ${port} (${cause.code ?? cause.message}).`, {
    cause,
  });
}
