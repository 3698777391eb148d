import type { MiddlewareHandler } from 'hono';
import type { EmulatorContext } from '../../context.ts';
import { refuse } from '../apiFailure.ts';
import type { Env } from '../env.ts';
import { secondsUntil } from '../resetHeader.ts';
import { remoteAddress } from './authenticate.ts';

interface Window {
  endsAt: number;
  used: number;
}

/**
 * Counts the requests of each key in fixed windows, those without a known key by address, and puts the three
 * headers on every answer (API text, "Limits", 2).
 */
export function rateLimit({
  rateLimit: { limit, windowSeconds },
  wire,
  now,
}: EmulatorContext): MiddlewareHandler<Env> {
  const windows = new Map<string, Window>();

  function use(bucket: string): Window {
    const at = now();
    let window = windows.get(bucket);
    if (window === undefined || window.endsAt <= at) {
      window = { endsAt: at + windowSeconds * 1000, used: 0 };
      windows.set(bucket, window);
    }
    window.used += 1;
    return window;
  }

  return async (c, next) => {
    const { endsAt, used } = use(c.var.sentKey?.id ?? remoteAddress(c));
    const seconds = String(secondsUntil(endsAt, now()));
    c.header('X-RateLimit-Limit', String(limit));
    c.header('X-RateLimit-Remaining', String(Math.max(0, limit - used)));
    c.header('X-RateLimit-Reset', wire.reset(endsAt, now()));
    if (used > limit) {
      c.header('Retry-After', seconds);
      throw refuse('rate_limited', `More than ${limit} requests in ${windowSeconds} s. Wait ${seconds} s.`);
    }
    await next();
  };
}
