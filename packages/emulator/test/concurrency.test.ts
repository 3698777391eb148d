import { QrServiceClient, type QrCode } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { killCommands } from './support/command.ts';
import { repeatAfter } from './support/repeatAfter.ts';
import { codeInput, startService, stopServices, type ApiResponse, type Service } from './support/service.ts';
import { holdSlowRequests } from './support/slowRequests.ts';
import { removeTempFolders } from './support/tempFolder.ts';
import { until } from '../../../test/support/jest/until.ts';

afterEach(async () => {
  killCommands();
  await stopServices();
  removeTempFolders();
});

const CLIENTS = Array.from({ length: 8 }, (_, nth) => nth);

const create = ({ call }: Service, key: string, name: string) =>
  call('POST', '/qr', { headers: { 'Idempotency-Key': key }, body: codeInput(name) });

const names = async ({ call }: Service) =>
  ((await call('GET', '/qr')).json['data'] as QrCode[]).map(({ name }) => name);

const outcomes = (responses: ApiResponse[]) => responses.map(({ status, json }) => json['code'] ?? status);

test('creates one code for eight requests with the same key and input, and returns it to all in the end', async () => {
  const service = await startService();
  const responses = await Promise.all(CLIENTS.map(() => create(service, 'k', 'One')));
  expect(outcomes(responses)).toContain(201);
  for (const outcome of outcomes(responses)) expect([201, 'idempotency_in_progress']).toContain(outcome);
  const ends = await Promise.all(CLIENTS.map(() => create(service, 'k', 'One')));
  for (const { status, bytes } of ends) expect([status, bytes]).toEqual([201, ends[0]!.bytes]);
  for (const { status, bytes } of responses) if (status === 201) expect(bytes).toEqual(ends[0]!.bytes);
  expect(await names(service)).toEqual(['One']);
});

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

test('while the first request runs, returns in progress for its input and conflict for another', async () => {
  const service = await startService();
  const slow = holdSlowRequests();
  service.emulator.control.failNext({ delayMs: 500 });
  const first = create(service, 'k', 'One');
  await until(() => slow.delays.length > 0);
  const responses = await Promise.all(CLIENTS.map((nth) => create(service, 'k', nth < 4 ? 'One' : 'Other')));
  expect(outcomes(responses)).toEqual([
    ...Array<string>(4).fill('idempotency_in_progress'),
    ...Array<string>(4).fill('idempotency_conflict'),
  ]);
  slow.release();
  expect(outcomes([await first, await create(service, 'k', 'One')])).toEqual([201, 201]);
  expect(await names(service)).toEqual(['One']);
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

test('creates one code for each key despite SIGKILL in the middle', () => repeatAfter('SIGKILL', 60));
