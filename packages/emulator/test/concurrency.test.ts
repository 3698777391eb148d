import { QrServiceClient, type QrCode } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { codeInput, startService, stopServices, type ApiResponse, type Service } from './support/service.ts';

afterEach(async () => {
  await stopServices();
});

const CLIENTS = Array.from({ length: 8 }, (_, nth) => nth);

const create = ({ call }: Service, key: string, name: string) =>
  call('POST', '/qr', { headers: { 'Idempotency-Key': key }, body: codeInput(name) });

const names = async ({ call }: Service) =>
  ((await call('GET', '/qr')).json['data'] as QrCode[]).map(({ name }) => name);

const outcomes = (responses: ApiResponse[]) => responses.map(({ status, json }) => json['code'] ?? status);

test("returns one code to eight of the connector's clients with one key", async () => {
  const service = await startService();
  service.emulator.control.failNext({ delayMs: 50 });
  const codes = await Promise.all(
    CLIENTS.map(() => {
      const { url, apiKey } = service.emulator;
      const client = new QrServiceClient({ baseUrl: url, apiKey, transport: undiciTransport() });
      return client.qr.create(codeInput('One'), { idempotencyKey: 'k' });
    }),
  );
  expect(new Set(codes.map(({ id }) => id)).size).toBe(1);
  expect(await names(service)).toEqual(['One']);
});

test('accepts one of eight requests with one key and different input, and returns 409 idempotency_conflict to the others', async () => {
  const service = await startService();
  const responses = await Promise.all(CLIENTS.map((nth) => create(service, 'k', `Code ${nth}`)));
  expect(outcomes(responses).toSorted()).toEqual([201, ...Array<string>(7).fill('idempotency_conflict')]);
  const winner = responses.findIndex(({ status }) => status === 201);
  expect(await names(service)).toEqual([`Code ${winner}`]);
});

test('accepts a key on one of two routes when both are called at once', async () => {
  const service = await startService();
  const { id } = await service.createCode('First');
  const headers = { 'Idempotency-Key': 'k' };
  const responses = await Promise.all([
    service.call('POST', `/qr/${id}/publish`, { headers }),
    create(service, 'k', 'Second'),
  ]);
  expect(outcomes(responses).filter((outcome) => outcome === 'idempotency_conflict')).toHaveLength(1);
});
