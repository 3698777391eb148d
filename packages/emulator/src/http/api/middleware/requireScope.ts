import type { Scope } from '@qr-service/core';
import type { MiddlewareHandler } from 'hono';
import { apiFailure } from '../../apiFailure.ts';
import type { Env } from '../../env.ts';

/** Requires a scope of the API key (API text, "Authentication", 7). */
export function requireScope(scope: Scope): MiddlewareHandler<Env> {
  return async (c, next) => {
    const granted = c.var.apiKey.scopes;
    if (!granted.includes(scope))
      throw apiFailure('insufficient_scope', `The API key lacks the scope ${scope}.`, {
        required: scope,
        granted,
      });
    await next();
  };
}
