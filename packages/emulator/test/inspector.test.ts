import { EVENT_TYPES, signWebhook, type WebhookEvent } from '@qr-service/core';
import { EVENTS } from '@qr-service/core/connector';
import { openInspector } from './support/inspector.ts';
import { startReceiver, stopReceivers } from './support/receiver.ts';
import { codeInput, startService, stopServices } from './support/service.ts';

afterEach(async () => {
  await stopServices();
  await stopReceivers();
});

const HOST = 'hooks.example.com';

async function start(respond?: (nth: number) => number) {
  const receiver = await startReceiver(respond);
  const service = await startService({ connectTo: { [HOST]: receiver.address }, retryBaseMs: 5 });
  const { json } = await service.call('POST', '/webhooks', {
    body: { url: `https://${HOST}/in`, eventTypes: EVENT_TYPES },
  });
  return {
    ...service,
    ...openInspector(service.emulator),
    receiver,
    control: service.emulator.control,
    subscriptionId: String(json['id']),
    secret: String(json['secret']),
  };
}

test('lists requests newest first with key name, status and idempotency', async () => {
  const { call, get, control } = await start();
  control.createKey({ name: 'Till', apiKey: 'till-key' });
  const headers = { 'Idempotency-Key': 'import 1' };
  await call('POST', '/qr', { body: codeInput('Table 4'), headers, apiKey: 'till-key' });
  await call('POST', '/qr', { body: codeInput('Table 4'), headers, apiKey: 'till-key' });
  await call('POST', '/qr', { body: codeInput('Table 5'), headers, apiKey: 'till-key' });
  await call('GET', '/qr/none');
  control.failNext({ status: 503 });
  await call('GET', '/me');
  const { status, text } = await get('/');
  expect(status).toBe(200);
  expect(text).toMatch(
    /GET \/me 503 .* GET \/qr\/none 404 .* POST \/qr 409 .* Till conflict .* POST \/qr 201 .* Till replayed .* POST \/qr 201 .* Till new/,
  );
  expect(text).toContain('status 503');
});

test("shows a request's headers and bodies without API keys or signing secrets", async () => {
  const { get, emulator, secret, control } = await start();
  const { requestId } = control.requests()[0]!;
  const { text, html } = await get(`/requests/${requestId}`);
  expect(text).toMatch(/POST \/v1\/public-api\/webhooks .* 201 Created/);
  expect(text).toContain('Authorization: ••••');
  expect(text).toContain(`"url": "https://${HOST}/in"`);
  expect(text).toContain('"secret": "whsec_••••"');
  expect(html).not.toContain(secret);
  // The key is only in the page's header, behind its button.
  expect(html.slice(html.indexOf('<main'))).not.toContain(emulator.apiKey);
});

test('shows a deeply nested body unformatted', async () => {
  const { call, get, control } = await start();
  const rawBody = `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`;
  await call('POST', '/qr', { rawBody });
  const { status, text, html } = await get(`/requests/${control.requests().at(-1)!.requestId}`);
  expect(status).toBe(200);
  expect(text).toContain(rawBody);
  expect(html.length).toBeLessThan(100_000);
});

test('says when a request is no longer in the log', async () => {
  const { get } = await start();
  const { status, text } = await get('/requests/req_none');
  expect(status).toBe(404);
  expect(text).toContain('Request not found. The log keeps the latest 500 requests.');
});

test('leaves its own requests out of the log', async () => {
  const { get, control } = await start();
  const before = control.requestCount();
  for (const path of ['/', '/codes', '/subscriptions', '/deliveries', '/scans', '/faults']) await get(path);
  expect(control.requestCount()).toBe(before);
});

test('shows codes with image, status, short link and destination', async () => {
  const { createCode, get } = await start();
  const code = await createCode('Table 4', 'https://example.com/menu?a=1&b=2');
  const { text, html } = await get(`/codes/${code.id}`);
  expect(text).toMatch(/Table 4 draft .* example\.com\/menu\?a=1&b=2/);
  expect(text).toContain(code.publicUrl);
  expect(html).toContain(`src="/codes/${code.id}/image.svg"`);
  const image = await get(`/codes/${code.id}/image.svg`);
  expect(image.headers.get('Content-Type')).toBe('image/svg+xml');
  expect(image.html).toContain('<svg');
});

test("fires the app's events for each action on a code", async () => {
  const { createCode, post, receiver, control } = await start();
  const { id } = await createCode();
  await control.settled();
  const fired = async (path: string, fields?: Record<string, string>) => {
    receiver.received.length = 0;
    const { status } = await post(`/codes/${id}/${path}`, fields);
    await control.settled();
    return [
      status,
      ...receiver.received.map(({ body }) => (JSON.parse(body) as { type: string }).type).toSorted(),
    ];
  };
  expect(await fired('publish')).toEqual([200, 'qr.published', 'qr.updated']);
  expect(await fired('retarget', { url: 'https://example.com/2' })).toEqual([
    200,
    'qr.updated',
    'redirect.rule_changed',
  ]);
  expect(await fired('rename', { name: 'New name' })).toEqual([200, 'qr.updated']);
  expect(await fired('approve')).toEqual([200, 'approval.changed']);
  expect(await fired('reject')).toEqual([200, 'approval.changed']);
  expect(await fired('feedback', { score: '9' })).toEqual([200, 'feedback.response_received']);
  expect(await fired('feedback', { score: '2' })).toEqual([
    200,
    'feedback.low_score_received',
    'feedback.response_received',
  ]);
  expect(await fired('archive')).toEqual([200, 'qr.archived', 'qr.updated']);
  expect(await fired('publish')).toEqual([409]);
  expect(await fired('restore')).toEqual([200, 'qr.updated']);
  expect(await fired('delete')).toEqual([200, 'qr.deleted']);
  expect(await fired('publish')).toEqual([404]);
});

test('creates a code from the form, or explains what is wrong with it', async () => {
  const { post, call } = await start();
  const made = await post('/codes', { name: 'Bar', targetUrl: 'https://example.com/bar', publish: 'yes' });
  expect(made.text).toMatch(/Created\..*Bar published/);
  const { status, text } = await post('/codes', { name: 'Bar', targetUrl: 'example.com' });
  expect(status).toBe(422);
  expect(text).toContain('The destination must be an absolute URL');
  expect((await call('GET', '/qr')).json['data']).toMatchObject([{ name: 'Bar', status: 'published' }]);
});

test('keeps a feedback response in the inbox until it is resolved, and fires its event', async () => {
  const { createCode, post, get, receiver, control } = await start();
  const { id } = await createCode('Terrace');
  await post(`/codes/${id}/feedback`, { score: '4' });
  const { html, text } = await get('/codes');
  expect(text).toMatch(/Feedback inbox .* 4 Terrace/);
  const path = /action="(\/codes\/feedback\/[^"]+)"/.exec(html)![1]!;
  expect((await post(path)).text).toMatch(/Marked as resolved\..* resolved/);
  expect((await post(path)).status).toBe(404);
  await control.settled();
  const events = receiver.received.map(({ body }) => JSON.parse(body) as WebhookEvent);
  const about = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data);
  const fields = Object.keys(EVENTS['feedback.response_received'].sampleData);
  expect(Object.keys(about('feedback.response_received')[0]!)).toEqual(fields);
  expect(about('feedback.response_resolved')).toEqual(about('feedback.response_received'));
  expect((await post(`/codes/${id}/feedback`, { score: '11' })).text).toContain('from 0 to 10');
  expect((await post(`/codes/${id}/feedback`)).status).toBe(422);
});

test('shows a subscription with its secret behind a button and deletes it', async () => {
  const { get, post, control, secret, subscriptionId } = await start();
  const { html, text } = await get('/subscriptions');
  expect(text).toMatch(new RegExp(`https://${HOST}/in .* Events all ${EVENT_TYPES.length}`));
  expect(html).toMatch(
    new RegExp(`<details class="secret"[^>]*>\\s*<summary>Show signing secret</summary>\\s*<code>${secret}`),
  );
  expect((await post(`/subscriptions/${subscriptionId}/delete`)).text).toContain('Deleted.');
  expect(control.subscriptions()).toEqual([]);
  expect((await post(`/subscriptions/${subscriptionId}/delete`)).status).toBe(404);
});

test('shows every attempt of a delivery and explains its signature step by step', async () => {
  const { get, control, secret } = await start((nth) => (nth === 0 ? 500 : 204));
  control.emit('export.ready', { exportId: 'exp_1' });
  await control.settled();
  const { id, body, attempts } = control.deliveries()[0]!;
  const { text } = await get(`/deliveries/${id}`);
  expect(text).toMatch(/Attempt 1 500 .* Attempt 2 204/);
  const header = attempts[1]!.headers['X-Service-Signature']!;
  const timestamp = Number(attempts[1]!.headers['X-Service-Timestamp']);
  const v1 = signWebhook({ body, secret, timestamp }).split('v1=')[1]!;
  expect(text).toContain(header);
  expect(text).toContain(`${timestamp}.${body}`);
  expect(text).toContain(`Computed here ${v1}`);
  expect(text).toContain(`v1 in the header ${v1}`);
  expect(text).toContain('✓ Valid signature.');
  expect(text).not.toContain('✗');
  expect(text).not.toContain(secret);
  expect((await get(`/deliveries/${id}?attempt=1`)).text).toContain('Headers of attempt 1');
});

test.each([
  ['wrong secret', 'signature_mismatch', 'Failed: ✗ Compare'],
  ['stale timestamp', 'timestamp_out_of_tolerance', 'old when it was sent: it could be a replay'],
  ['V0 only', 'deprecated_scheme', 'Only X-Service-Signature-V0 was sent'],
  ['unsigned', 'missing_header', 'The request has no signature'],
  ['re-serialized body', 'signature_mismatch', 'the body was changed after signing'],
] as const)(
  'explains why receivers reject a delivery with the fault "%s": %s',
  async (kind, reason, note) => {
    const { get, control } = await start();
    control.failDeliveries({ kind });
    control.emit('qr.created');
    await control.settled();
    const { text } = await get(`/deliveries/${control.deliveries()[0]!.id}?attempt=1`);
    expect(text).toContain(`✗ Receivers reject it: ${reason}`);
    expect(text.replaceAll('✗Failed: ', 'Failed: ✗ ').replaceAll('✗ Failed: ', 'Failed: ✗ ')).toContain(note);
  },
);

test('redelivers with the same delivery ID or a new one', async () => {
  const { post, control, receiver } = await start();
  control.emit('export.ready');
  await control.settled();
  const { id } = control.deliveries()[0]!;
  expect((await post(`/deliveries/${id}/replay`)).text).toContain('with the same delivery ID');
  await control.settled();
  expect((await post(`/deliveries/${id}/resend`)).text).toContain('with a new delivery ID');
  await control.settled();
  const ids = receiver.received.map(({ headers }) => headers['x-service-delivery']);
  expect([ids[1], new Set(ids).size]).toEqual([id, 2]);
  expect((await post('/deliveries/dlv_none/replay')).status).toBe(409);
});

test.each(['qr.created', 'export.ready'] as const)(
  'sends %s with its sample data, edited or not',
  async (type) => {
    const { get, post, receiver, control } = await start();
    const { html } = await get(`/deliveries/send?type=${type}`);
    const shown = /<textarea[^>]*>(.*?)<\/textarea/s.exec(html)![1]!.replaceAll('&quot;', '"');
    expect(JSON.parse(shown)).toEqual(EVENTS[type].sampleData);
    expect((await post('/deliveries/send', { type, data: shown })).text).toContain('Event sent.');
    await post('/deliveries/send', { type, data: '{"edited":true}' });
    await control.settled();
    expect(receiver.received.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
      { type, data: EVENTS[type].sampleData },
      { type, data: { edited: true } },
    ]);
  },
);

test("refuses data that isn't a JSON object and keeps it in the form", async () => {
  const { post, control } = await start();
  const { status, text } = await post('/deliveries/send', { type: 'qr.created', data: '{"half": ' });
  expect(status).toBe(422);
  expect(text).toMatch(/The data isn't valid JSON.*\{"half":/);
  expect((await post('/deliveries/send', { type: 'qr.created', data: '[]' })).text).toContain(
    'must be a JSON object',
  );
  expect((await post('/deliveries/send', { type: 'qr.burnt', data: '{}' })).status).toBe(422);
  expect(control.deliveries()).toEqual([]);
});

test('says when an event has no subscribers', async () => {
  const { post, subscriptionId } = await start();
  await post(`/subscriptions/${subscriptionId}/delete`);
  expect((await post('/deliveries/send', { type: 'qr.created', data: '{}' })).text).toContain(
    'no subscription includes it',
  );
});

test('lists scans with their details and links to published codes', async () => {
  const { createCode, call, get } = await start();
  const code = await createCode('Terrace');
  await call('POST', `/qr/${code.id}/publish`);
  await fetch(code.publicUrl, { redirect: 'manual', headers: { 'CF-IPCountry': 'AT' } });
  const { html, text } = await get('/scans');
  expect(html).toContain(`href="${code.publicUrl}"`);
  expect(text).toMatch(/Terrace AT unknown/);
  expect(html).not.toContain('>Newest<');
  expect((await get('/scans?before=1')).html).toContain('<a class="button" href="/scans">Newest</a>');
});

test('sets and clears faults and wire shapes', async () => {
  const { get, post, call, control } = await start();
  const set = await post('/faults/requests', {
    preset: 'quota_exceeded',
    method: 'POST',
    path: '/qr',
    times: '',
  });
  expect(set.text).toMatch(/quota_exceeded POST \/qr until cleared/);
  expect((await call('POST', '/qr', { body: codeInput('No') })).json['code']).toBe('quota_exceeded');
  await post('/faults/deliveries', { kind: 'unsigned', times: '3' });
  expect((await get('/faults')).text).toMatch(/unsigned deliveries 3 ×/);
  expect((await post('/faults/clear')).text).toContain('No active faults.');
  expect([control.faults(), control.deliveryFaults()]).toEqual([[], []]);
  expect((await post('/faults/requests', { preset: 'none such', times: '1' })).status).toBe(422);

  const shape = Object.fromEntries(
    Object.entries({ ...control.wireShape(), listKey: 'items', maxLimit: 50 }).map(([point, value]) => [
      point,
      String(value),
    ]),
  );
  await post('/faults/shape', shape);
  expect(control.wireShape()).toMatchObject({ listKey: 'items', maxLimit: 50 });
  await post('/faults/shape/defaults');
  expect(control.wireShape()).toMatchObject({ listKey: 'data', maxLimit: 100 });
});

test('shows forms that contradict the API text as faults, and keeps them when the wire shape changes', async () => {
  const { get, post, control } = await start();
  const before = await get('/faults');
  expect(before.html).toContain('<option value="error=html">');
  const shapeOnly = before.html.slice(before.html.indexOf('action="/faults/shape"'));
  expect(shapeOnly).not.toMatch(/top-level array|HTTP date|ignored|name="error"/);
  for (const form of ['error=html', 'listKey=top-level array'])
    await post('/faults/contradictions', { form });
  expect(control.wireShape()).toMatchObject({ error: 'html', listKey: 'top-level array' });
  expect((await get('/faults')).text).toMatch(/error=html A failure is a page of HTML .*? until cleared/);
  expect((await get('/')).text).toContain('Faults 2 ');
  await post('/faults/shape', { listKey: 'top-level array', listEnd: 'empty' });
  expect(control.wireShape()).toMatchObject({ error: 'html', listKey: 'top-level array', listEnd: 'empty' });
  await post('/faults/contradictions/error/clear');
  expect(control.wireShape()).toMatchObject({ error: 'flat', listKey: 'top-level array', listEnd: 'empty' });
  expect((await post('/faults/clear')).text).toContain('No active faults.');
  expect(control.wireShape()).toMatchObject({ listKey: 'data', listEnd: 'empty' });
  expect((await post('/faults/contradictions', { form: 'error=loud' })).status).toBe(422);
});

test('changes the settings', async () => {
  const { get, post, control } = await start();
  expect((await get('/faults')).html).toContain('value="country, device, os, browser, referrer"');
  const fields = { dimensions: 'country, os', notices: 'off', visibleAfterMs: '250' };
  expect((await post('/faults/settings', fields)).text).toContain('Settings updated.');
  const settings = { allowedDimensions: ['country', 'os'], lowScoreNotices: false, visibleAfterMs: 250 };
  expect(control.settings()).toEqual(settings);
  await post('/faults/settings', { ...fields, dimensions: '' });
  expect(control.settings().allowedDimensions).toEqual([]);
  for (const invalid of [{ visibleAfterMs: '-1' }, { visibleAfterMs: '' }, { dimensions: 'contry' }])
    expect((await post('/faults/settings', { ...fields, ...invalid })).status).toBe(422);
  expect(control.settings().visibleAfterMs).toBe(250);
});

test("keeps the names that a service's shape has when another point changes", async () => {
  const { post, control, get } = await start();
  control.setWireShape({ secretKey: 'hook_key', maxLimit: 25 });
  expect((await get('/faults')).html).toMatch(/<option value="hook_key"\s+selected/);
  await post('/faults/shape', { secretKey: 'hook_key', maxLimit: '25', listEnd: 'missing' });
  expect(control.wireShape()).toMatchObject({ secretKey: 'hook_key', maxLimit: 25, listEnd: 'missing' });
});

test('notifies an open page of each change', async () => {
  const { emulator, control, createCode } = await start();
  const ending = new AbortController();
  const response = await fetch(`${emulator.url}/live`, { signal: ending.signal });
  expect(response.headers.get('Content-Type')).toBe('text/event-stream');
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const next = async () => (await reader.read()).value;
  const first = await next();
  expect(first).toContain('event: change');
  await createCode();
  expect(await next()).not.toBe(first);
  control.changeSettings({ visibleAfterMs: 250 });
  let latest: string | undefined = '';
  while (latest?.includes('"visibleAfterMs":250') === false) latest = await next();
  expect(latest).toBeDefined();
  ending.abort();
});

test('stops while a page is open', async () => {
  const { emulator } = await start();
  const response = await fetch(`${emulator.url}/live`);
  await emulator.stop();
  await expect(response.text()).rejects.toThrow();
});
