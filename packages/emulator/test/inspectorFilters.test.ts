import { EVENT_TYPES } from '@qr-service/core';
import { openInspector } from './support/inspector.ts';
import { startService, stopServices } from './support/service.ts';
import { startSubscribed } from './support/subscribed.ts';
import { stopReceivers } from './support/receiver.ts';

afterEach(async () => {
  await stopServices();
  await stopReceivers();
});

const rowsIn = (html: string) => [...html.matchAll(/id="row-([^"]+)"/g)].map((match) => match[1]!);
const unescape = (path: string) => path.replaceAll('&amp;', '&');
const linkTo = (html: string, label: string) =>
  unescape(new RegExp(`<a class="button" href="([^"]+)"\\s*>${label}<`).exec(html)?.[1] ?? '');

/** All rows of a list, page by page. */
async function walk(get: (path: string) => Promise<{ html: string }>, first: string): Promise<string[]> {
  const seen: string[] = [];
  for (let path = first; path !== '';) {
    const { html } = await get(path);
    seen.push(...rowsIn(html));
    path = linkTo(html, 'Older');
  }
  return seen;
}

async function requests() {
  const service = await startService();
  const { call, emulator } = service;
  for (let nth = 0; nth < 130; nth++) await call('GET', `/qr/none${nth}`);
  await call('GET', '/me');
  await call('POST', '/qr', { rawBody: '{"name":"Terrace"}' });
  emulator.control.failNext({ drop: 'before' });
  await call('GET', '/me').catch(() => undefined);
  return { ...service, ...openInspector(emulator), control: emulator.control };
}

type Request = { requestId: string; method: string; status: number; path: string };

const QUERIES: [query: string, isMatch: (entry: Request) => boolean][] = [
  ['', () => true],
  ['method=POST', ({ method }) => method === 'POST'],
  ['status=4xx', ({ status }) => status >= 400 && status < 500],
  ['status=404', ({ status }) => status === 404],
  ['status=2xx', ({ status }) => status === 200],
  ['status=cut', ({ status }) => status === 0],
  ['q=none12', ({ path }) => path.includes('none12')],
  ['q=TERRACE', ({ method }) => method === 'POST'],
  ['q=validation_failed', ({ status }) => status === 422],
  ['q=me&method=GET&status=2xx', ({ path, status }) => path.endsWith('/me') && status === 200],
  ['q=nothing+like+it', () => false],
];

test('lists exactly the requests that match each filter, over all pages', async () => {
  const { get, control } = await requests();
  for (const [query, isMatch] of QUERIES) {
    const expected = control
      .requests()
      .filter(isMatch)
      .map(({ requestId }) => requestId);
    expect([query, await walk(get, `/?${query}`)]).toEqual([query, expected.toReversed()]);
  }
});

test('says that older requests have left the log, and links to the newest', async () => {
  const { get } = await requests();
  const { text, html } = await get('/?status=4xx&before=req_gone');
  expect(text).toContain('These requests are no longer in the log');
  expect(linkTo(html, 'Newest requests')).toBe('/?status=4xx');
});

test('keeps the filters in the links to details, back to the list and to other pages', async () => {
  const { get } = await requests();
  const { html } = await get('/?q=none&status=4xx');
  expect(html).toMatch(/<input[^>]* name="q"[^>]* value="none"/);
  expect(html).toMatch(/<option selected>4xx<\/option>/);
  const older = linkTo(html, 'Older');
  expect(older).toMatch(/^\/\?q=none&status=4xx&before=req_/);
  const second = (await get(older)).html;
  expect(linkTo(second, 'Newest')).toBe('/?q=none&status=4xx');
  const detail = unescape(/class="row-link"\s+href="([^"]+)"/.exec(second)![1]!);
  expect(detail).toContain('?q=none&status=4xx&before=');
  const opened = (await get(detail)).html;
  expect(rowsIn(opened)).toEqual(rowsIn(second));
  expect(unescape(/class="back"><a href="([^"]+)"/.exec(opened)![1]!)).toBe(older);
  const { text, html: empty } = await get('/?q=nothing+like+it');
  expect(text).toContain('No requests match these filters.');
  expect(empty).toContain('href="/">Clear the filters</a>');
});

test('filters deliveries by event, state and text, over all pages', async () => {
  const { emulator, control, subscribe } = await startSubscribed((nth) => (nth % 2 === 0 ? 204 : 500)).then(
    (service) => ({
      ...service,
      control: service.emulator.control,
    }),
  );
  const { get } = openInspector(emulator);
  await subscribe('qr.deleted');
  for (let nth = 0; nth < 60; nth++) control.emit('export.ready', { exportId: `Export-${nth}` });
  control.emit('qr.deleted');
  await control.settled();
  const all = control.deliveries().toReversed();
  const ids = (isMatch: (delivery: (typeof all)[number]) => boolean) =>
    all.filter(isMatch).map(({ id }) => id);
  expect(await walk(get, '/deliveries?event=export.ready')).toEqual(
    ids(({ eventType }) => eventType === 'export.ready'),
  );
  expect(await walk(get, '/deliveries?state=delivered&event=qr.deleted')).toEqual(
    ids(({ eventType, status }) => eventType === 'qr.deleted' && status === 'delivered'),
  );
  expect(await walk(get, '/deliveries?q=eXport-5')).toEqual(ids(({ body }) => body.includes('Export-5')));
  expect(await walk(get, `/deliveries?q=${all[3]!.id}`)).toEqual([all[3]!.id]);
  const { id } = control.emit('export.ready', { name: 'ÄPFEL İ' });
  for (const words of ['ÄPFEL İ', 'äpfel'])
    expect(await walk(get, `/deliveries?q=${encodeURIComponent(words)}`)).toEqual(
      control
        .deliveries()
        .filter(({ eventId }) => eventId === id)
        .map((delivery) => delivery.id),
    );
  expect((await get('/deliveries?state=canceled')).text).toContain('No deliveries match these filters.');
});

test('filters codes by text and state, over all pages', async () => {
  const codes = Array.from({ length: 1200 }, (_, nth) => ({
    id: `qr_${nth}`,
    name: nth % 10 === 0 ? `Terrace ${nth}` : `Table ${nth}`,
    targetUrl: `https://example.com/${nth}`,
    status: nth % 3 === 0 ? ('published' as const) : ('draft' as const),
  }));
  const { get } = openInspector((await startService({ seed: { codes } })).emulator);
  const ids = (isMatch: (code: (typeof codes)[number]) => boolean) =>
    codes
      .filter(isMatch)
      .map(({ id }) => id)
      .toReversed();
  expect(await walk(get, '/codes')).toEqual(ids(() => true));
  expect(await walk(get, '/codes?state=published&q=terrace')).toEqual(
    ids(({ name, status }) => status === 'published' && name.startsWith('Terrace')),
  );
  expect(await walk(get, '/codes?q=example.com/119')).toEqual(
    ids(({ targetUrl }) => targetUrl.includes('/119')),
  );
});

test('pages through codes that share their updatedAt, and searches all of them', async () => {
  const codes = Array.from({ length: 600 }, (_, nth) => ({
    id: `qr_${nth}`,
    name: `Table ${nth}`,
    targetUrl: 'https://example.com/',
  }));
  const { emulator } = await startService({ seed: { codes }, updatedAtStepMs: 3_600_000 });
  const { get } = openInspector(emulator);
  const { html } = await get('/codes');
  const second = rowsIn((await get(linkTo(html, 'Older'))).html);
  expect(second.filter((id) => rowsIn(html).includes(id))).toEqual([]);
  expect((await walk(get, '/codes')).toSorted()).toEqual(codes.map(({ id }) => id).toSorted());
  expect((await get('/codes?q=nothing')).text).toContain('No codes match these filters.');
});

const form = async (
  emulator: { url: string },
  path: string,
  fields: [string, string][],
): Promise<{ status: number; html: string }> => {
  const response = await fetch(emulator.url + path, {
    method: 'POST',
    headers: { Origin: emulator.url, 'Sec-Fetch-Site': 'same-origin' },
    body: new URLSearchParams(fields),
  });
  return { status: response.status, html: await response.text() };
};

test('creates an API key with scopes, expiry and addresses, shows it once and revokes it', async () => {
  const { emulator, call } = await startService();
  const { get, post } = openInspector(emulator);
  const made = await form(emulator, '/keys', [
    ['name', 'Till'],
    ['scopes', 'qr:read'],
    ['scopes', 'exports:read'],
    ['expiresAt', '2999-01-31T09:30'],
    ['addresses', '127.0.0.1, 10.0.0.0/8'],
  ]);
  expect(made.status).toBe(201);
  const apiKey = /id="new-secret">([^<]+)</.exec(made.html)![1]!;
  expect((await call('GET', '/qr', { apiKey })).status).toBe(200);
  expect((await call('POST', '/qr', { apiKey, rawBody: '{}' })).json).toMatchObject({
    code: 'insufficient_scope',
  });
  const { html, text } = await get('/keys');
  expect(html).not.toContain(apiKey);
  expect(text).toMatch(
    /Till active .* qr:read exports:read .* 2999-01-31 09:30:00.000 .* 127\.0\.0\.1, 10\.0\.0\.0\/8/,
  );
  emulator.control.clock.set('2999-02-01T00:00:00Z');
  expect((await get('/keys')).text).toContain('Till expired');
  const path = /action="(\/keys\/[^"]+\/revoke)"/.exec(html)![1]!;
  expect((await post(path)).text).toMatch(/Revoked\. .* Till revoked/);
  expect((await call('GET', '/qr', { apiKey })).status).toBe(401);
  expect((await post(path)).status).toBe(404);
});

test.each([
  ['name=Till', 'Choose at least one scope.'],
  ['name=+&scopes=qr:read', 'The key needs a name.'],
  ['name=Till&scopes=qr:eat', 'must be one of: qr:read'],
  ['name=Till&scopes=qr:read&expiresAt=soon', 'The expiry must be a date and time'],
  ['name=Till&scopes=qr:read&addresses=home', 'The allowed address home isn&#39;t a valid'],
])('rejects a key from the form %s, and keeps the input', async (query, sentence) => {
  const { emulator } = await startService();
  const fields = [...new URLSearchParams(query)];
  const { status, html } = await form(emulator, '/keys', fields);
  expect(status).toBe(422);
  expect(html).toContain(sentence);
  expect(html).toMatch(/<details class="create" id="create" open/);
  expect(html).toContain(`value="${fields[0]![1].trim()}"`);
});

test('creates a subscription, shows its secret once at the top, and keeps rejected input', async () => {
  const { emulator } = await startService();
  const url = 'https://hooks.example.com/from-the-inspector';
  const made = await form(emulator, '/subscriptions', [
    ['url', url],
    ['eventTypes', 'qr.created'],
    ['eventTypes', 'export.ready'],
  ]);
  expect(made.status).toBe(201);
  const [created] = emulator.control.subscriptions();
  expect(created).toMatchObject({ url, eventTypes: ['qr.created', 'export.ready'] });
  expect(/id="new-secret">([^<]+)</.exec(made.html)![1]).toBe(created!.secret);
  for (const [fields, sentence] of [
    [
      [
        ['url', 'http://localhost/'],
        ['eventTypes', EVENT_TYPES[0]],
      ],
      'The URL must be HTTPS on a public host',
    ],
    [[['url', url]], 'The list of events must be a list of at least one event name'],
  ] as [[string, string][], string][]) {
    const { status, html } = await form(emulator, '/subscriptions', fields);
    expect(status).toBe(422);
    expect(html).toContain(sentence);
    expect(html).toContain(`value="${fields[0]![1]}"`);
  }
  expect(emulator.control.subscriptions()).toHaveLength(1);
});

test('shows, advances and sets the clock, and moves it back to now', async () => {
  const start = Date.parse('2026-01-15T09:00:00Z');
  const { emulator } = await startService({ now: () => start });
  const { get, post } = openInspector(emulator);
  const { clock } = emulator.control;
  expect((await get('/clock')).text).toMatch(/Emulator 2026-01-15 09:00:00\.000 .* Difference none/);
  expect((await post('/clock/advance', { amount: '1.5', unit: 'days' })).text).toContain(
    '1 day, 12 hours ahead',
  );
  expect(clock.now() - start).toBe(36 * 3_600_000);
  await post('/clock/set', { time: '2030-01-31T09:30' });
  expect(clock.now()).toBe(Date.parse('2030-01-31T09:30:00Z'));
  expect((await post('/clock/now')).text).toContain('Difference none');
  expect(clock.now()).toBe(start);
  for (const [path, fields] of [
    ['/clock/advance', { amount: '', unit: 'days' }],
    ['/clock/advance', { amount: '1', unit: 'moons' }],
    ['/clock/advance', { amount: '1e20', unit: 'days' }],
    ['/clock/set', { time: 'later' }],
    ['/clock/set', { time: '2026-02-30T09:30' }],
  ] as const)
    expect((await post(path, fields)).status).toBe(422);
  expect(clock.now()).toBe(start);
});
