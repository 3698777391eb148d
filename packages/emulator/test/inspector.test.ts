import { EVENT_TYPES, type WebhookEvent } from '@qr-service/core';
import { EVENTS } from '@qr-service/core/connector';
import { openInspector } from './support/inspector.ts';
import { codeInput, startService } from './support/service.ts';
import { HOST, startSubscribed } from './support/subscribed.ts';

async function start(respond?: (nth: number) => number) {
  const service = await startSubscribed(respond);
  const { emulator, receiver } = service;
  const { control } = emulator;
  /** The types of the events that were received since the last call. */
  const received = async () => {
    await control.settled();
    return receiver.received.splice(0).map(({ body }) => (JSON.parse(body) as WebhookEvent).type);
  };
  const subscriptionId = control.subscriptions()[0]!.id;
  return { ...service, ...openInspector(emulator), received, control, subscriptionId };
}

test('lists requests newest first with status, error code, fault, key and idempotency', async () => {
  const { call, get, control } = await start();
  control.createKey({ name: 'Till', apiKey: 'till-key' });
  const headers = { 'Idempotency-Key': 'import 1' };
  for (const name of ['Table 4', 'Table 4', 'Table 5'])
    await call('POST', '/qr', { body: codeInput(name), headers, apiKey: 'till-key' });
  control.failNext({ status: 503 });
  await call('GET', '/me');
  const { text } = await get('/');
  expect(text).toMatch(
    /GET \/me 503 status 503 .* POST \/qr 409 idempotency_conflict .* Till conflict POST \/qr 201 .* Till replayed POST \/qr 201 .* Till new/,
  );
});

test("shows a request's headers and bodies without API keys or signing secrets", async () => {
  const { get, emulator, secret, control } = await start();
  const { text, html } = await get(`/requests/${control.requests()[0]!.requestId}`);
  expect(text).toMatch(/POST \/v1\/public-api\/webhooks .* 201 Created/);
  expect(text).toContain('Authorization: ••••');
  expect(text).toContain(`"url": "https://${HOST}/in?box=1"`);
  expect(text).toContain('"secret": "whsec_••••"');
  expect(html).not.toContain(secret);
  // The key is only in the page's header, behind its button.
  expect(html.slice(html.indexOf('<main'))).not.toContain(emulator.apiKey);
});

test('shows the latest 200 requests, without its own', async () => {
  const { call, get, control } = await start();
  for (let nth = 0; nth < 201; nth++) await call('GET', `/qr/none_${nth}`);
  const before = control.requestCount();
  const { html, text } = await get('/requests');
  expect(html.match(/<tr id="row-/g)).toHaveLength(200);
  expect(text).toMatch(/none_200 .*none_1 .* These are the latest 200\./);
  expect(control.requestCount()).toBe(before);
});

test.each([
  ['/requests', 'No requests yet.'],
  ['/codes', 'No codes yet.'],
  ['/subscriptions', 'No subscriptions yet.'],
  ['/deliveries', 'No deliveries yet.'],
])('says what to do next on an empty %s', async (path, sentence) => {
  const { emulator } = await startService();
  expect((await openInspector(emulator).get(path)).text).toContain(sentence);
});

test('shows a code with its image, short link, destination and scans', async () => {
  const { createCode, call, get } = await start();
  const { id, publicUrl } = await createCode('Table 4', 'https://example.com/menu?a=1&b=2');
  await call('POST', `/qr/${id}/publish`);
  expect((await get(`/codes/${id}`)).text).toContain('Scans none yet');
  await fetch(publicUrl, { redirect: 'manual' });
  const { text, html } = await get(`/codes/${id}`);
  expect(text).toMatch(/Table 4 published .* → https:\/\/example\.com\/menu\?a=1&b=2 .* Scans 1, latest/);
  expect(html).toContain(`<a class="button solid" href="${publicUrl}"`);
  const image = await get(`/codes/${id}/image.svg`);
  expect(image.headers.get('Content-Type')).toBe('image/svg+xml');
  expect(image.html).toContain('<svg');
});

test('creates a code from the form, or explains what is wrong with it', async () => {
  const { post, call } = await start();
  const created = await post('/codes', { name: 'Bar', targetUrl: 'https://example.com/bar', publish: 'on' });
  expect(created.text).toMatch(/Created\..*Bar published/);
  const { status, text } = await post('/codes', { name: 'Bar', targetUrl: 'example.com' });
  expect(status).toBe(422);
  expect(text).toContain('The destination must be an absolute URL');
  expect((await call('GET', '/qr')).json['data']).toMatchObject([{ name: 'Bar', status: 'published' }]);
});

test("fires the app's events for each action on a code", async () => {
  const { createCode, post, received } = await start();
  const { id } = await createCode();
  expect(await received()).toEqual(['qr.created']);
  for (const [path, fields, events] of [
    ['publish', {}, ['qr.published', 'qr.updated']],
    ['retarget', { targetUrl: 'https://example.com/2' }, ['qr.updated', 'redirect.rule_changed']],
    ['rename', { name: 'New name' }, ['qr.updated']],
    ['archive', {}, ['qr.archived', 'qr.updated']],
    ['unarchive', {}, ['qr.updated']],
    ['delete', {}, ['qr.deleted']],
  ] as const) {
    const { status, html } = await post(`/codes/${id}/${path}`, fields);
    expect([status, html.includes('class="notice good"')]).toEqual([200, true]);
    expect((await received()).toSorted()).toEqual(events);
  }
  expect((await post(`/codes/${id}/publish`)).status).toBe(404);
});

test('shows a subscription with its secret behind a button and deletes it', async () => {
  const { get, post, control, secret, subscriptionId } = await start();
  const list = await get('/subscriptions');
  expect(list.text).toMatch(
    new RegExp(`https://${HOST}/in\\?box=1 ${subscriptionId} ${EVENT_TYPES.length} of`),
  );
  expect(list.html).not.toContain(secret);
  const { html } = await get(`/subscriptions/${subscriptionId}`);
  expect(html).toMatch(
    new RegExp(`<summary class="button">Show signing secret</summary>\\s*<code>${secret}`),
  );
  expect((await post(`/subscriptions/${subscriptionId}/delete`)).text).toContain('Deleted permanently.');
  expect(control.subscriptions()).toEqual([]);
  expect((await post(`/subscriptions/${subscriptionId}/delete`)).status).toBe(404);
});

test('shows every attempt of a delivery with the verdict on its signature', async () => {
  const { get, control, secret } = await start((nth) => (nth === 0 ? 500 : 204));
  control.emit('export.ready', { exportId: 'exp_1' });
  await control.settled();
  const { id } = control.deliveries()[0]!;
  const { text } = await get(`/deliveries/${id}`);
  expect(text).toMatch(/Attempt 1 500 .* ✓ Valid signature\. .* Attempt 2 204 .* ✓ Valid signature\./);
  expect(text).not.toContain(secret);
});

test('says why receivers reject a delivery with a faulty signature', async () => {
  const { get, control } = await start();
  for (const [kind, reason] of [
    ['wrong secret', 'signature_mismatch'],
    ['stale timestamp', 'timestamp_out_of_tolerance'],
    ['V0 only', 'deprecated_scheme'],
    ['unsigned', 'missing_header'],
  ] as const) {
    control.failDeliveries({ kind });
    control.emit('qr.created');
    await control.settled();
    const { text } = await get(`/deliveries/${control.deliveries().at(-1)!.id}`);
    expect(text).toContain(`✗ Receivers reject it: ${reason}.`);
  }
});

test('redelivers with the same delivery ID or a new one, while the subscription exists', async () => {
  const { get, post, control, receiver, subscriptionId } = await start();
  control.emit('export.ready');
  await control.settled();
  const { id } = control.deliveries()[0]!;
  for (const fields of [{}, { newDeliveryId: 'yes' }]) {
    expect((await post(`/deliveries/${id}/redeliver`, fields)).text).toContain('Queued for redelivery.');
    await control.settled();
  }
  const ids = receiver.received.map(({ headers }) => headers['x-service-delivery']);
  expect([ids[1], new Set(ids).size]).toEqual([id, 2]);
  await post(`/subscriptions/${subscriptionId}/delete`);
  expect((await get(`/deliveries/${id}`)).text).toContain("so this can't be redelivered");
  expect((await post(`/deliveries/${id}/redeliver`)).status).toBe(404);
});

test('sends an event with its sample data, edited or not', async () => {
  const { get, post, receiver, control } = await start();
  const { html } = await get('/deliveries/new?type=export.ready');
  const sample = /<textarea[^>]*>(.*?)<\/textarea/s.exec(html)![1]!.replaceAll('&quot;', '"');
  expect(JSON.parse(sample)).toEqual(EVENTS['export.ready'].sampleData);
  for (const data of [sample, '{"edited":true}'])
    expect((await post('/deliveries', { type: 'export.ready', data })).text).toContain('Event sent.');
  await control.settled();
  expect(receiver.received.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
    { type: 'export.ready', data: EVENTS['export.ready'].sampleData },
    { type: 'export.ready', data: { edited: true } },
  ]);
});

test("refuses an unknown event, and data that isn't a JSON object, which it keeps in the form", async () => {
  const { post, control, subscriptionId } = await start();
  const { status, text } = await post('/deliveries', { type: 'qr.created', data: '{"half": ' });
  expect(status).toBe(422);
  expect(text).toMatch(/The data isn't valid JSON.*\{"half":/);
  const list = await post('/deliveries', { type: 'qr.created', data: '[]' });
  expect(list.text).toContain('must be a JSON object');
  expect((await post('/deliveries', { type: 'qr.burnt', data: '{}' })).status).toBe(422);
  await post(`/subscriptions/${subscriptionId}/delete`);
  const unheard = await post('/deliveries', { type: 'qr.created', data: '{}' });
  expect(unheard.text).toContain('no subscription includes it');
  expect(control.deliveries()).toEqual([]);
});
