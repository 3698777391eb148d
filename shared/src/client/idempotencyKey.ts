import { createHash } from 'node:crypto';
import { stableJson } from '../json/stableJson.ts';

/** Derives a key that is the same for the same parts and different for any others (API text, "Limits", 3). */
export function idempotencyKeyFrom(parts: readonly unknown[]): string {
  return createHash('sha256').update(stableJson(parts)).digest('hex');
}
