import { inspect } from 'node:util';
import { isTransportError, QrServiceClient, type ClientOptions } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import {
  closeServices,
  cutBody,
  hangUp,
  ok,
  TRANSIENT_FAULTS,
  serve,
  neverRespond,
  status,
  trickle,
  type RequestHandler,
} from '../support/faultyService/faultyService.ts';
import { endless } from '../support/jest/endless.ts';
import { startVirtualTime } from '../support/jest/virtualTime.ts';

const KEY = 'qrs_the_key_of_these_tests';

afterEach(() => {
  jest.restoreAllMocks();
  closeServices();
});

function client(baseUrl: string, options: Partial<ClientOptions> = {}): QrServiceClient {
  const sleep = () => Promise.resolve();
  return new QrServiceClient({ baseUrl, apiKey: KEY, transport: undiciTransport(), sleep, ...options });
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a POST', () => {
  const input = {
    name: 'Door',
    mode: 'dynamic',
    contentType: 'url',
    content: { targetUrl: 'https://e.example/' },
  };

  it.each(Object.entries(TRANSIENT_FAULTS))(
    'is retried with the same idempotency key when %s',
    async (_what, fault) => {
      const { url, requests } = await serve(fault, ok);
      expect((await client(url).qr.create(input)).id).toBe('qr_1');
      expect(requests).toHaveLength(2);
      expect(requests[0]?.idempotencyKey).toMatch(/.{16,}/);
      expect(requests[1]?.idempotencyKey).toBe(requests[0]?.idempotencyKey);
    },
  );

  it('has its own idempotency key in each call', async () => {
    const { url, requests } = await serve(ok);
    await client(url).qr.create(input);
    await client(url).qr.create(input);
    expect(requests[1]?.idempotencyKey).not.toBe(requests[0]?.idempotencyKey);
  });
});

describe('an error', () => {
  it('names the host that could not be reached', async () => {
    const error = await failureOf(client('http://127.0.0.1:9', { retry: false }).me());
    expect(isTransportError(error) && error.kind).toBe('network');
    expect((error as Error).message).toMatch(/127\.0\.0\.1:9 could not be reached/);
  });

  it('does not show the key, not even in its cause', async () => {
    for (const fault of [
      hangUp,
      cutBody,
      status(500, {}, `{"message": "${KEY}"}`),
      status(302, { Location: '/x' }),
    ]) {
      const { url } = await serve(fault);
      const error = await failureOf(client(url, { retry: false }).me());
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(KEY);
      expect(JSON.stringify(error)).not.toContain(KEY);
    }
  });
});

describe('a redirect', () => {
  it('is never followed with the key', async () => {
    const elsewhere = await serve(ok);
    for (const code of [301, 302, 307, 308]) {
      const here = await serve(status(code, { Location: elsewhere.url }));
      for (const authHeader of ['authorization', 'api-key'] as const) {
        const error = await failureOf(client(here.url, { authHeader }).me());
        expect(isTransportError(error) && error.kind).toBe('redirect');
      }
    }
    expect(elsewhere.requests).toEqual([]);
  });
});

describe('timeouts, waits and cancellation', () => {
  it.each<[string, RequestHandler]>([
    ['never responds', neverRespond],
    ['trickles', trickle],
  ])('ends an attempt at a service that %s', async (_what, fault) => {
    const time = startVirtualTime();
    const { url, requests } = await serve(endless(time, fault), ok);
    expect((await client(url).qr.get('qr_1')).id).toBe('qr_1');
    expect(requests).toHaveLength(2);
  });

  it('aborts a request in flight when the caller cancels', async () => {
    const controller = new AbortController();
    const { url } = await serve(() => controller.abort());
    const error = await failureOf(client(url).me({ signal: controller.signal }));
    expect(isTransportError(error) && error.kind).toBe('aborted');
  });

  it('sends nothing if the call is already cancelled', async () => {
    const { url, requests } = await serve(ok);
    await failureOf(client(url).me({ signal: AbortSignal.abort() }));
    expect(requests).toEqual([]);
  });
});
