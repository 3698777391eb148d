import { isTransportError, QrServiceClient, type ClientOptions } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import {
  closeServices,
  ok,
  serve,
  status,
  TRANSIENT_FAULTS,
} from '../support/faultyService/faultyService.ts';

afterEach(closeServices);

function client(baseUrl: string, options: Partial<ClientOptions> = {}): QrServiceClient {
  const sleep = () => Promise.resolve();
  return new QrServiceClient({
    baseUrl,
    apiKey: 'qrs_a_key',
    transport: undiciTransport(),
    sleep,
    ...options,
  });
}

const kindOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => isTransportError(error) && error.kind,
  );

const content = { targetUrl: 'https://e.example/' };
const input = { name: 'Door', mode: 'dynamic', contentType: 'url', content };

it.each(Object.entries(TRANSIENT_FAULTS))(
  'a POST is retried with its own idempotency key when %s',
  async (_what, fault) => {
    const { url, requests } = await serve(fault, ok);
    for (let call = 1; call <= 2; call++) expect((await client(url).qr.create(input)).id).toBe('qr_1');
    const [lost, retried, other] = requests.map(({ idempotencyKey }) => idempotencyKey);
    expect(requests).toHaveLength(3);
    expect(lost).toMatch(/.{16,}/);
    expect(retried).toBe(lost);
    expect(other).not.toBe(lost);
  },
);

it.each([301, 302, 307, 308])('a redirect (%d) is never followed with the key', async (code) => {
  const elsewhere = await serve(ok);
  const here = await serve(status(code, { Location: elsewhere.url }));
  for (const authHeader of ['authorization', 'api-key'] as const)
    expect(await kindOf(client(here.url, { authHeader }).me())).toBe('redirect');
  expect(elsewhere.requests).toEqual([]);
});

it('a call that is canceled aborts its request, and sends none if it is canceled before', async () => {
  const controller = new AbortController();
  const { url, requests } = await serve(() => controller.abort());
  for (let call = 1; call <= 2; call++)
    expect(await kindOf(client(url).me({ signal: controller.signal }))).toBe('aborted');
  expect(requests).toHaveLength(1);
});
