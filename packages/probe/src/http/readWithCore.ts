import { QrServiceClient, TransportError, type Transport } from '@qr-service/core';
import type { Exchange } from './Exchange.ts';

/** The client has read all responses, and sent another request. */
class FurtherRequest extends Error {}

/**
 * The connector's own client on responses that were received before: each of its requests gets the next one. What it
 * returns or throws is what a user would see.
 */
export function readWithCore(
  exchanges: readonly Pick<Exchange, 'status' | 'headers' | 'bytes'>[],
  now: () => number = Date.now,
): QrServiceClient {
  const responses = [...exchanges];
  const transport: Transport = (request) => {
    const next = responses.shift();
    if (next === undefined)
      return Promise.reject(
        new TransportError('All responses were read.', { kind: 'network', cause: new FurtherRequest() }),
      );
    const { status, headers, bytes } = next;
    // The client changes what it reads, so it gets its own copy.
    return Promise.resolve({
      status,
      headers,
      body: request.responseType === 'bytes' ? bytes : bytes.slice(),
    });
  };
  return new QrServiceClient({
    baseUrl: 'https://recorded.localhost',
    apiKey: 'recorded-0b6f8b1e',
    transport,
    retry: false,
    now,
  });
}

/** Whether the client wanted more responses than there are. */
export function isFurtherRequest(error: unknown): boolean {
  return error instanceof TransportError && error.cause instanceof FurtherRequest;
}
