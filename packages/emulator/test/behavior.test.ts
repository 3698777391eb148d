import type { WireShape } from 'qr-service-emulator';
import { codeInput, startService, stopServices, type Service } from './support/service.ts';

afterEach(stopServices);

const START = Date.parse('2026-01-15T12:00:00.250Z');

/** An emulator whose clock moves only when a test moves it. */
const startAt = (wireShape: WireShape, updatedAtStepMs = 1): Promise<Service> =>
  startService({ wireShape, updatedAtStepMs, now: () => START });

describe('readLagMs', () => {
  test('a single read is 404 after a creation and old after a change, and lists are up to date', async () => {
    const { emulator, call, createCode } = await startAt({ readLagMs: 1000 });
    const { id } = await createCode('Old');
    const read = async () => {
      const { status, json } = await call('GET', `/qr/${id}`);
      return status === 200 ? json['name'] : json['code'];
    };
    const listed = async () => (await call('GET', '/qr')).json['data'] as { name: string }[];
    expect([await read(), (await listed()).map(({ name }) => name)]).toEqual(['not_found', ['Old']]);
    emulator.control.clock.advance(999);
    expect(await read()).toBe('not_found');
    emulator.control.clock.advance(1);
    expect(await read()).toBe('Old');
    emulator.control.rename(id, 'New');
    expect([await read(), (await listed()).map(({ name }) => name)]).toEqual(['Old', ['New']]);
    emulator.control.clock.advance(1000);
    expect(await read()).toBe('New');
  });

  test('a write finds the code that a read does not', async () => {
    const { call, createCode } = await startAt({ readLagMs: 1000 });
    const { id } = await createCode();
    const { status, json } = await call('POST', `/qr/${id}/publish`);
    expect([status, json['status']]).toEqual([200, 'published']);
  });
});

test.each([5000, -5000])('the Date header is %s ms ahead of updatedAt', async (dateSkewMs) => {
  const { call } = await startAt({ dateSkewMs });
  const { headers, json } = await call('POST', '/qr', { body: codeInput('Table 4') });
  expect(json['updatedAt']).toBe('2026-01-15T12:00:00.250Z');
  expect(Date.parse(headers.get('Date')!)).toBe(START - 250 + dateSkewMs);
});

test.each([
  ['none', undefined],
  ['current', { targetUrl: 'https://example.com/b' }],
  ['stale', { targetUrl: 'https://example.com/a' }],
] as const)(
  'the content of a code with a new destination is %s, in responses and events',
  async (content, expected) => {
    const { emulator, call, createCode } = await startAt({ content });
    const { id } = await createCode('Table 4', 'https://example.com/a');
    await call('POST', '/webhooks', {
      body: { url: 'https://hooks.example.com/', eventTypes: ['qr.updated'] },
    });
    const changed = await call('POST', `/qr/${id}/destination`, { body: { url: 'https://example.com/b' } });
    const [listed] = (await call('GET', '/qr')).json['data'] as object[];
    const read = (await call('GET', `/qr/${id}`)).json;
    const event = JSON.parse(emulator.control.deliveries()[0]!.body) as { data: { qr: object } };
    for (const code of [changed.json, listed, read, event.data.qr])
      expect((code as { content?: unknown }).content).toEqual(expected);
  },
);

test('short links that differ only in the query lead to their own codes', async () => {
  const { emulator, call, createCode } = await startAt({ shortLink: 'query' });
  for (const name of ['a', 'b']) {
    const { id, slug, publicUrl } = await createCode(name, `https://example.com/${name}`);
    expect(publicUrl).toBe(`${emulator.redirectUrl}?c=${slug}`);
    await call('POST', `/qr/${id}/publish`);
    const { headers } = await fetch(publicUrl, { redirect: 'manual' });
    expect(headers.get('Location')).toBe(`https://example.com/${name}`);
  }
});

test('several changes of one code share their updatedAt within a step', async () => {
  const { emulator, call, createCode } = await startAt({}, 1000);
  const { id, updatedAt } = await createCode();
  emulator.control.clock.advance(300);
  const published = await call('POST', `/qr/${id}/publish`);
  const changed = await call('POST', `/qr/${id}/destination`, { body: { url: 'https://example.com/b' } });
  expect([published.json, changed.json]).toMatchObject([{ updatedAt }, { updatedAt }]);
});

test.each([
  ['as sent', '  Table  4 '],
  ['trimmed', 'Table 4'],
  ['upper case', '  TABLE  4 '],
  ['suffixed', '  Table  4  (1)'],
] as const)('a new code is named %s: %j', async (createdName, expected) => {
  const { call, createCode } = await startAt({ createdName });
  const { id, name } = await createCode('  Table  4 ');
  expect([name, (await call('GET', `/qr/${id}`)).json['name']]).toEqual([expected, expected]);
});

test.each([
  ['nothing', 'published', 'b'],
  ['publish', 'draft', 'b'],
  ['destination', 'published', 'a'],
  ['both', 'draft', 'a'],
] as const)('a service that ignores %s answers 200 all the same', async (ignored, status, target) => {
  const { emulator, call, createCode } = await startAt({ ignored, change: 'ok', content: 'current' });
  const { id } = await createCode('Table 4', 'https://example.com/a');
  const requests = [
    await call('POST', `/qr/${id}/publish`),
    await call('POST', `/qr/${id}/destination`, { body: { url: 'https://example.com/b' } }),
  ];
  for (const response of requests) expect(response).toMatchObject({ status: 200, json: { ok: true } });
  expect((await call('GET', `/qr/${id}`)).json).toMatchObject({
    status,
    content: { targetUrl: `https://example.com/${target}` },
  });
  emulator.control.setWireShape({});
  expect((await call('POST', `/qr/${id}/publish`)).json['status']).toBe('published');
});

test.each([
  [404, 404, 'application/json', '"code":"not_found"'],
  [410, 410, 'application/json', '"code":"gone"'],
  ['404 page', 404, 'text/html', '<h1>Not Found</h1>'],
  ['410 page', 410, 'text/html', '<h1>Gone</h1>'],
  ['404 empty', 404, null, ''],
  ['410 empty', 410, null, ''],
] as const)('unsubscribing is %s, always', async (unsubscribe, status, type, text) => {
  const { emulator, call } = await startAt({ unsubscribe });
  const hook = { url: 'https://hooks.example.com/', eventTypes: ['qr.created'] };
  const { json } = await call('POST', '/webhooks', { body: hook });
  for (const id of [String(json['id']), String(json['id']), 'none']) {
    const response = await call('DELETE', `/webhooks/${id}`, { offContract: true });
    expect([response.status, response.headers.get('Content-Type')]).toEqual([status, type]);
    expect(response.bytes.toString()).toContain(text);
  }
  expect(emulator.control.subscriptions()).toHaveLength(1);
});
