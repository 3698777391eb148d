import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UsageError } from '../config/config.ts';

/**
 * Listens on this machine only, and returns the port.
 * @param port 0 for any free one
 * @throws UsageError if the port can't be used
 */
export async function listenOnLoopback(server: Server, port: number): Promise<number> {
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `Can't listen on port ${port} (${code}). Stop the program that uses it, or choose another port with --http.`,
    );
  }
  return (server.address() as AddressInfo).port;
}
