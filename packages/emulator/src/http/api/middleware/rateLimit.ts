import type { MiddlewareHandler } from 'hono';
import type { EmulatorContext } from '../../../control/context.ts';
import { apiFailure } from '../../apiFailure.ts';
import type { Env } from '../../env.ts';
import { remoteAddress } from '../../remoteAddress.ts';
import { secondsUntil } from '../response/resetHeader.ts';
import type { ResponseFormatter } from '../response/responseFormatter.ts';

/**
 * Counts the requests of each key in fixed windows, or of each address if the key is unknown, and sets the three headers
 * on every response (API text, "Limits", 2).
 */
export function rateLimit(context: EmulatorContext, wire: ResponseFormatter): MiddlewareHandler<Env> {
  const { rateWindows, now } = context;
  const { limit, windowSeconds } = context.fixed.rateLimit;
  return async (c, next) => {
    const { endsAt, used } = rateWindows.use(c.var.sentKey?.id ?? remoteAddress(c));
    const seconds = String(secondsUntil(endsAt, now()));
    c.header('X-RateLimit-Limit', String(limit));
    c.header('X-RateLimit-Remaining', String(Math.max(0, limit - used)));
    c.header('X-RateLimit-Reset', wire.reset(endsAt, now()));
    if (used > limit) {
      c.header('Retry-After', seconds);
      throw apiFailure(
        'rate_limited',
        `More than ${limit} requests in ${windowSeconds} s. Wait ${seconds} s.`,
      );
    }
    await next();
  };
}
