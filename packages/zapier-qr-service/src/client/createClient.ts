import { QrServiceClient } from '@qr-service/core';
import type { Bundle, ZObject } from 'zapier-platform-core';
import packageJson from '../../package.json' with { type: 'json' };
import { connectionOf } from '../inputs/readInputs.ts';
import { RETRY_MS, zapierTransport } from './zapierTransport.ts';

/** Time limit of one attempt, in milliseconds. */
const ATTEMPT_MS = 9_000;

/** Creates the service's client for one run, with the connection's API key and base URL. */
export function createClient(z: ZObject, bundle: Bundle): QrServiceClient {
  return new QrServiceClient({
    ...connectionOf(bundle),
    transport: zapierTransport(z),
    retry: { maxAttempts: 4, budgetMs: RETRY_MS },
    timeoutMs: ATTEMPT_MS,
    userAgent: `Zapier (${packageJson.name}/${packageJson.version})`,
  });
}
