import { QrServiceClient } from '@qr-service/core';
import { omitUndefined } from '@qr-service/core/connector';
import type { Bundle, ZObject } from 'zapier-platform-core';
import packageJson from '../../package.json' with { type: 'json' };
import { connectionOf } from '../inputs/readInputs.ts';
import { refusedKeys } from './refusedKeys.ts';
import { RETRY_MS, zapierTransport } from './zapierTransport.ts';

/** Milliseconds that one attempt may take. */
const ATTEMPT_MS = 9_000;

/**
 * The service's client for one run, with the connection's API key and base URL. A run whose creation has a deduplication
 * key is safe to repeat.
 */
export function createClient(
  z: ZObject,
  bundle: Bundle,
  { isSafeToRepeat = false }: { isSafeToRepeat?: boolean } = {},
): QrServiceClient {
  return new QrServiceClient({
    ...connectionOf(bundle),
    transport: zapierTransport(z, { isSafeToRepeat }),
    retry: { maxAttempts: 4, budgetMs: RETRY_MS },
    timeoutMs: ATTEMPT_MS,
    userAgent: `Zapier (${packageJson.name}/${packageJson.version})`,
    ...omitUndefined({ refusedKeys: isSafeToRepeat ? refusedKeys(z) : undefined }),
  });
}
