import type { QrCode } from '@qr-service/core';
import { WIRE_CHOICES, type EmulatorOptions } from 'qr-service-emulator';
import { startService, stopServices, type Service } from './support/service.ts';
import { startSubscribed } from './support/subscribed.ts';
import { stopReceivers } from './support/receiver.ts';

afterEach(async () => {
  await stopServices();
  await stopReceivers();
});

/** An emulator whose clock moves only when a test moves it. */
async function startAt(time: string, options: EmulatorOptions = {}): Promise<Service> {
  return startService({ ...options, now: () => Date.parse(time) });
}

async function list<Row>({ call }: Service, path: string): Promise<Row[]> {
  return (await call('GET', path)).json['data'] as Row[];
}

const codes = (service: Service, query = '') => list<QrCode>(service, `/qr${query}`);
const names = async (service: Service, query = '') => (await codes(service, query)).map(({ name }) => name);

async function scanOnce(publicUrl: string): Promise<void> {
  await fetch(publicUrl, { redirect: 'manual' });
}

describe('with a step of updatedAt', () => {
  const START = '2026-01-15T12:00:00.250Z';

  test.each(WIRE_CHOICES.listOrder)(
    'codes changed within a step share it, in %s order',
    async (listOrder) => {
      const service = await startAt(START, { updatedAtStepMs: 1000, wireShape: { listOrder } });
      for (const name of ['A', 'B', 'C']) await service.createCode(name);
      service.emulator.control.clock.advance(1000);
      for (const name of ['D', 'E']) await service.createCode(name);
      const all = await codes(service);
      const ties = (time: string) =>
        all.filter(({ updatedAt }) => updatedAt === time).map(({ name }) => name);
      expect(ties('2026-01-15T12:00:00.000Z').toSorted()).toEqual(['A', 'B', 'C']);
      expect(ties('2026-01-15T12:00:01.000Z').toSorted()).toEqual(['D', 'E']);
      const expected = { ascending: 'CBAED', descending: 'DEABC' };
      if (listOrder !== 'id') expect((await names(service)).join('')).toBe(expected[listOrder]);
      expect((await names(service, '?updatedSince=2026-01-15T12:00:01Z')).toSorted()).toEqual(['D', 'E']);
      expect((await names(service, '?updatedSince=2026-01-15T12:00:00.001Z')).toSorted()).toEqual(['D', 'E']);
      expect(await names(service, '?updatedSince=2026-01-15T12:00:01.001Z')).toEqual([]);
    },
  );

  test('an exclusive updatedSince leaves out the whole step', async () => {
    const service = await startAt(START, { updatedAtStepMs: 1000, wireShape: { listSince: 'exclusive' } });
    const { updatedAt } = await service.createCode('A');
    service.emulator.control.clock.advance(900);
    await service.createCode('B');
    expect(await names(service, `?updatedSince=${updatedAt}`)).toEqual(['B']);
    expect(await names(service, '?updatedSince=2026-01-15T11:59:59.999Z')).toEqual(['A', 'B']);
  });

  test('events carry the same updatedAt as lists', async () => {
    const service = await startSubscribed(undefined, {
      updatedAtStepMs: 3_600_000,
      now: () => Date.parse(START),
    });
    const { updatedAt } = await service.createCode();
    await service.emulator.control.settled();
    const body = service.receiver.received.at(-1)?.body ?? '';
    expect([updatedAt, (JSON.parse(body) as { data: { qr: QrCode } }).data.qr.updatedAt]).toEqual([
      '2026-01-15T12:00:00.000Z',
      '2026-01-15T12:00:00.000Z',
    ]);
  });
});

describe('with lists that are behind', () => {
  const START = '2026-01-15T12:00:00Z';

  test.each(WIRE_CHOICES.listOrder)(
    'a change shows late in lists, in %s order, but at once by ID',
    async (listOrder) => {
      const service = await startAt(START, { visibleAfterMs: 2000, wireShape: { listOrder } });
      const { control } = service.emulator;
      const { id } = await service.createCode('Old');
      const inList = async () => [await names(service), await names(service, `?updatedSince=${START}`)];
      expect(await inList()).toEqual([[], []]);
      expect((await service.call('GET', `/qr/${id}`)).json['name']).toBe('Old');
      control.clock.advance(1999);
      expect(await inList()).toEqual([[], []]);
      control.clock.advance(1);
      expect(await inList()).toEqual([['Old'], ['Old']]);
      control.rename(id, 'New');
      expect(await inList()).toEqual([['Old'], ['Old']]);
      expect((await service.call('GET', `/qr/${id}`)).json['name']).toBe('New');
      control.clock.advance(2000);
      expect(await inList()).toEqual([['New'], ['New']]);
    },
  );

  test('scans show late, and no cursor skips one', async () => {
    const service = await startAt(START, { visibleAfterMs: 2000, wireShape: { scanCursor: 'always' } });
    const { clock } = service.emulator.control;
    const { id, publicUrl } = await service.createCode();
    await service.call('POST', `/qr/${id}/publish`);
    let cursor: string | undefined;
    const next = async () => {
      const { json } = await service.call('GET', `/scans${cursor === undefined ? '' : `?cursor=${cursor}`}`);
      cursor = (json['pagination'] as { nextCursor: string }).nextCursor;
      return (json['data'] as object[]).length;
    };
    await scanOnce(publicUrl);
    expect(await next()).toBe(0);
    clock.advance(1000);
    await scanOnce(publicUrl);
    // The clock of a service can be set back: the second scan is then written before the first one shows.
    clock.advance(-500);
    await scanOnce(publicUrl);
    clock.advance(1500);
    expect(await next()).toBe(1);
    clock.advance(600);
    expect(await next()).toBe(0);
    clock.advance(400);
    expect([await next(), await next()]).toEqual([2, 0]);
  });
});

describe('settings', () => {
  test('switch scan dimensions off while it runs', async () => {
    const service = await startService();
    const { id, publicUrl } = await service.createCode();
    await service.call('POST', `/qr/${id}/publish`);
    await scanOnce(publicUrl);
    const [before] = await list<object>(service, '/scans');
    expect(before).toHaveProperty('country');
    service.emulator.control.changeSettings({ allowedDimensions: ['device'] });
    const { json } = await service.call('GET', '/scans');
    expect(json['allowedDimensions']).toEqual(['device']);
    expect(Object.keys((json['data'] as object[])[0]!)).toEqual(['id', 'qrId', 'scannedAt', 'device']);
  });

  test.each([
    [true, ['feedback.response_received', 'feedback.low_score_received']],
    [false, ['feedback.response_received']],
  ])('fire low-score notices or not: %s', async (lowScoreNotices, expected) => {
    const service = await startSubscribed(undefined, { lowScoreNotices: !lowScoreNotices });
    const { control } = service.emulator;
    control.changeSettings({ lowScoreNotices });
    control.answerFeedback((await service.createCode()).id, 3);
    const fired = control.deliveries().map(({ eventType }) => eventType);
    expect(fired.filter((type) => type.startsWith('feedback.'))).toEqual(expected);
  });

  test('are part of snapshots and of the initial state', async () => {
    const { control } = (await startService({ visibleAfterMs: 5 })).emulator;
    control.changeSettings({ lowScoreNotices: false });
    const snapshot = control.snapshot();
    control.changeSettings({ visibleAfterMs: 7, allowedDimensions: [] });
    control.restore(snapshot);
    expect(control.settings()).toMatchObject({ lowScoreNotices: false, visibleAfterMs: 5 });
    control.reset();
    expect(control.settings()).toMatchObject({ lowScoreNotices: true, visibleAfterMs: 5 });
  });

  test.each([
    [{ visibleAfterMs: -1 }, 'visibleAfterMs must be a whole number from 0 to 3600000.'],
    [{ lowScoreNotices: 'off' }, 'lowScoreNotices must be true or false.'],
    [{ allowedDimensions: 'country' }, 'allowedDimensions must be a list.'],
    [
      { allowedDimensions: ['contry'] },
      'allowedDimensions must be a list in which each entry must be one of: country, device, os, browser, referrer.',
    ],
  ])('stay as they are after %j, which is refused', async (given, sentence) => {
    const { url, control } = (await startService()).emulator;
    const before = control.settings();
    const response = await fetch(`${url}/_emulator/settings`, {
      method: 'PATCH',
      body: JSON.stringify(given),
    });
    expect([response.status, await response.json()]).toMatchObject([400, { error: sentence }]);
    expect(() => control.changeSettings(given as object)).toThrow(sentence);
    expect(control.settings()).toEqual(before);
  });
});
