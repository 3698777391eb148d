import type { Context } from 'hono';
import type { Env } from './env.ts';

/** The client's IP address. An IPv4 address mapped to IPv6 is returned in IPv4 form. */
export function remoteAddress(c: Context<Env>): string {
  return (c.env.incoming.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
}
