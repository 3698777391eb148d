import { QrServiceClient } from '@qr-service/core';
import type { Connection } from '@qr-service/core/connector';
import { nodeTransport } from '@qr-service/core/node';

/** How long a call waits for the rate limit, in milliseconds: longer, and the model should know instead. */
const RATE_LIMIT_MS = 60_000;

/** The service's client for all sessions of the process, so that they share the rate limit. */
export function createClient(connection: Connection, userAgent: string): QrServiceClient {
  return new QrServiceClient({
    ...connection,
    transport: nodeTransport(),
    retry: { rateLimitMs: RATE_LIMIT_MS },
    userAgent,
  });
}
