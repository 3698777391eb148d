import { signWebhook } from '@qr-service/core';
import type { HookRequest } from '../../../engines/zapier/index.ts';
import type { Service } from './service.ts';
import type { World } from './world.ts';

/** Publishes a new code and returns the delivery about it as Zapier receives it. Needs a subscription to one of its events. */
export async function causeDelivery(world: World, name = 'Delivered'): Promise<HookRequest> {
  const before = world.hooks.requests.length;
  await world.engine.create('create_qr_code', { name, targetUrl: 'https://example.com', publishNow: true });
  return nextRequest(world, before);
}

/** The delivery that arrives after `before` others. */
export async function nextRequest({ emulator, hooks }: Service, before: number): Promise<HookRequest> {
  await emulator.control.settled();
  const request = hooks.requests[before];
  if (request === undefined) throw new Error('Nothing was delivered.');
  return request;
}

/** The same delivery with other headers; `undefined` removes one. */
export function withHeaders(request: HookRequest, headers: Record<string, string | undefined>): HookRequest {
  const all = Object.entries({ ...request.headers, ...headers });
  return {
    ...request,
    headers: Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined)),
  };
}

/** The same delivery with a new signature. `timestamp` is in seconds. */
export function signedAnew(request: HookRequest, secret: string, timestamp: number): HookRequest {
  return withHeaders(request, {
    'Http-X-Service-Timestamp': String(timestamp),
    'Http-X-Service-Signature': signWebhook({ body: request.rawBody, secret, timestamp }),
  });
}

/** Seconds since the epoch. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
