import type { QrCode } from '@qr-service/core';
import { until } from '../../../test/support/jest/until.ts';
import {
  type ApiRequest,
  type ApiResponse,
  codeInput,
  type Service,
  startService,
} from './support/service.ts';
import { holdSlowRequests } from './support/time.ts';

const withKey = (key: string, body?: unknown): ApiRequest => ({
  headers: { 'Idempotency-Key': key },
  ...(body === undefined ? {} : { body }),
});
const create = ({ call }: Service, key: string, name: string) =>
  call('POST', '/qr', withKey(key, codeInput(name)));
const names = async ({ call }: Service) =>
  ((await call('GET', '/qr')).json['data'] as QrCode[]).map(({ name }) => name);
const isReplayed = ({ headers }: ApiResponse) => headers.get('Idempotency-Replayed') === 'true';

test('replays the first response to a repeated request and acts once', async () => {
  const service = await startService();
  const first = await create(service, 'a', 'Once');
  const again = await create(service, 'a', 'Once');
  expect([isReplayed(first), isReplayed(again)]).toEqual([false, true]);
  expect(again.headers.get('Content-Type')).toBe('application/json');
  expect([again.status, again.bytes]).toEqual([201, first.bytes]);
  expect(await names(service)).toEqual(['Once']);
});

describe.each([
  ['replayed', ['replay', 'conflict'], ['replay', 'conflict']],
  ['refusals not replayed', ['replay', 'conflict'], ['new', 'new']],
  ['ignored', ['new', 'new'], ['new', 'new']],
] as const)('with the mode %s', (idempotency, afterSuccess, afterRefusal) => {
  test.each([
    ['success', codeInput('Once'), codeInput('Other'), afterSuccess],
    ['refusal', {}, { name: 4 }, afterRefusal],
  ])('handles a key that is sent again after a %s', async (_what, input, other, expected) => {
    const { call } = await startService({ idempotency });
    const first = await call('POST', '/qr', withKey('a', input));
    const outcomes: string[] = [];
    for (const body of [input, other]) {
      const again = await call('POST', '/qr', withKey('a', body));
      const isConflict = again.status === 409 && again.json['code'] === 'idempotency_conflict';
      const isSame = again.bytes.equals(first.bytes);
      expect(isReplayed(again)).toBe(isSame);
      if (!isConflict) expect(again.status).toBe(first.status);
      outcomes.push(isConflict ? 'conflict' : isSame ? 'replay' : 'new');
    }
    expect(outcomes).toEqual(expected);
  });
});

test('returns 409 idempotency_conflict for the same key with another route, but not to another API key', async () => {
  const service = await startService();
  await create(service, 'a', 'One');
  const conflict = { status: 409, json: { code: 'idempotency_conflict' } };
  expect(await service.call('POST', '/webhooks', withKey('a', codeInput('One')))).toMatchObject(conflict);
  const { apiKey } = service.emulator.control.createKey();
  const other = await service.call('POST', '/qr', { ...withKey('a', codeInput('Two')), apiKey });
  expect(other.status).toBe(201);
});

test('while the first request is delayed, serves others, and returns 409 in progress for the same input and 409 conflict for another', async () => {
  const service = await startService();
  const slow = holdSlowRequests();
  service.emulator.control.failNext({ delayMs: 300 });
  const first = create(service, 'a', 'One');
  await until(() => slow.delays.length > 0);
  const [same, other, free] = await Promise.all([
    create(service, 'a', 'One'),
    create(service, 'a', 'Two'),
    create(service, 'b', 'Three'),
  ]);
  expect(same).toMatchObject({ status: 409, json: { code: 'idempotency_in_progress' } });
  expect(other).toMatchObject({ status: 409, json: { code: 'idempotency_conflict' } });
  expect(free.status).toBe(201);
  slow.release();
  expect((await first).status).toBe(201);
  expect(isReplayed(await create(service, 'a', 'One'))).toBe(true);
});

test('replays a response that was lost after the work was done, but no 5xx', async () => {
  const service = await startService();
  service.emulator.control.failNext({ drop: 'after' });
  await expect(create(service, 'a', 'One')).rejects.toThrow();
  expect((await create(service, 'a', 'One')).status).toBe(201);
  expect(await names(service)).toEqual(['One']);
  service.emulator.control.failNext({ status: 503 });
  expect((await create(service, 'b', 'Two')).status).toBe(503);
  const again = await create(service, 'b', 'Two');
  expect([again.status, isReplayed(again)]).toEqual([201, false]);
});
