import type { Context } from 'hono';
import type { Env } from './env.ts';

/** The caller's address; an IPv4 one in its own form also where it came over IPv6. */
export function remoteAddress(c: Context<Env>): string {
  return (c.env.incoming.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
}
