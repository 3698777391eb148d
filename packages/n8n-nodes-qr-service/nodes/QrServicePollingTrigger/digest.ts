import { createHash } from 'node:crypto';

/** A short name for any JSON value. */
export function digest(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('base64url');
}
