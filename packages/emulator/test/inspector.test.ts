import { EVENT_TYPES, type WebhookEvent } from '@qr-service/core';
import { EVENTS } from '@qr-service/core/connector';
import { openInspector, readAs } from './support/inspector.ts';
import { codeInput, HOST, startService, startSubscribed, type Service } from './support/service.ts';

describe('the inspector', () => {
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
    const created = await post('/codes', {
      name: 'Bar',
      targetUrl: 'https://example.com/bar',
      publish: 'on',
    });
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
    control.failDeliveries({ kind: 'wrong secret' });
    control.emit('export.ready', { exportId: 'exp_1' });
    await control.settled();
    const { id } = control.deliveries()[0]!;
    const { text } = await get(`/deliveries/${id}`);
    expect(text).toMatch(
      /Attempt 1 500 .* ✗ Receivers reject it: signature_mismatch\. .* Attempt 2 204 .* ✓ Valid signature\./,
    );
    expect(text).not.toContain(secret);
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

  test("refuses data that isn't JSON and keeps it in the form", async () => {
    const { post, control } = await start();
    const { status, text } = await post('/deliveries', { type: 'qr.created', data: '{"half": ' });
    expect(status).toBe(422);
    expect(text).toMatch(/The data isn't valid JSON.*\{"half":/);
    expect(control.deliveries()).toEqual([]);
  });

  // Safety, with hostile content in every record.

  const PAGES = ['/requests', '/codes', '/codes/new', '/subscriptions', '/deliveries', '/deliveries/new'];
  const HOSTILE = `<script>alert(1)</script>"><img src=x onerror='alert(2)'>&amp;`;

  /** An inspector with a page for a record of each kind, all with hostile content. */
  async function startHostile() {
    const { emulator, call } = await startService();
    await call('POST', '/webhooks', {
      body: { url: `https://hooks.example.com/?q="><script>`, eventTypes: EVENT_TYPES },
    });
    const { json } = await call('POST', '/qr', {
      body: codeInput(HOSTILE, `https://example.com/?q=${HOSTILE.replaceAll(/\s/g, '')}`),
      headers: { 'Idempotency-Key': HOSTILE, 'X-Hostile': HOSTILE },
    });
    const { control } = emulator;
    control.createKey({ name: HOSTILE, apiKey: 'hostile' });
    await call('GET', `/qr?name=${encodeURIComponent(HOSTILE)}`, { apiKey: 'hostile' });
    control.emit('qr.created', { [HOSTILE]: HOSTILE });
    const id = String(json['id']);
    const pages = [
      ...PAGES,
      `/codes/${id}`,
      ...control.requests().map(({ requestId }) => `/requests/${requestId}`),
      ...control.subscriptions().map((subscription) => `/subscriptions/${subscription.id}`),
      ...control.deliveries().map((delivery) => `/deliveries/${delivery.id}`),
    ];
    return { emulator, call, id, pages, ...openInspector(emulator) };
  }

  test('escapes everything that comes from outside, and forbids foreign scripts and framing', async () => {
    const { pages, get } = await startHostile();
    for (const path of pages) {
      const { html, status, headers } = await get(path);
      expect({ path, status }).toEqual({ path, status: 200 });
      expect(html.match(/<script[^>]*>/g)).toEqual([
        '<script defer src="/assets/idiomorph.js">',
        '<script type="module" src="/assets/inspector.js">',
      ]);
      // Quotes in input are escaped, so these end an attribute.
      const tags = html.replaceAll(/"[^"]*"/g, '""');
      expect(tags).not.toMatch(/<img src=x|<[^>]* on\w+=/);
      // Nothing that the policy would block.
      expect(tags).not.toMatch(/<style|<[^>]* style=/);
      expect(html).not.toMatch(/<[^>]*="javascript:|<[^>]* src="http/);
      const policy = headers.get('Content-Security-Policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(headers.get('Cache-Control')).toBe('no-store');
    }
  });

  test('refuses to show a page under a foreign host name, but serves the API and short links', async () => {
    const { pages, emulator } = await startHostile();
    for (const path of pages) {
      const refused = await readAs(emulator.url + path, { Host: 'evil.example.com' });
      expect(refused.status).toBe(403);
      expect(refused.text).not.toContain(emulator.apiKey);
      for (const Host of ['localhost:4010', '[::1]:4010', '192.0.2.7'])
        expect((await readAs(emulator.url + path, { Host })).status).toBe(200);
    }
    const api = await readAs(`${emulator.url}/v1/public-api/me`, { Host: 'api.example.com' });
    expect(api.status).toBe(401);
    expect((await readAs(`${emulator.url}/r/none`, { Host: 'qr.example.com' })).status).toBe(404);
  });

  test.each([
    ['from another site', { Origin: 'https://evil.example.com', 'Sec-Fetch-Site': 'cross-site' }],
    ['with a null origin', { Origin: 'null' }],
    ['without an origin', {}],
  ])('rejects a form %s and changes nothing', async (_whose, headers) => {
    const { emulator, post, call, id } = await startHostile();
    const [subscription] = emulator.control.subscriptions();
    const [delivery] = emulator.control.deliveries();
    const actions = ['publish', 'archive', 'unarchive', 'rename', 'retarget', 'delete'];
    for (const path of [
      ...actions.map((action) => `/codes/${id}/${action}`),
      '/codes',
      `/subscriptions/${subscription!.id}/delete`,
      '/deliveries',
      `/deliveries/${delivery!.id}/redeliver`,
    ]) {
      const { status, text } = await post(path, { type: 'qr.created', data: '{}' }, headers);
      expect(status).toBe(403);
      expect(text).toContain('This form was submitted from another site.');
    }
    expect((await call('GET', `/qr/${id}`)).json).toMatchObject({ status: 'draft', name: HOSTILE });
    expect(emulator.control.subscriptions()).toHaveLength(1);
    expect(emulator.control.deliveries()).toHaveLength(2);
  });

  test('has one main element, one h1, unique ids and a label for each field on every page', async () => {
    const { pages, get } = await startHostile();
    for (const path of pages) {
      const { html } = await get(path);
      for (const once of [/<html lang="en">/g, /<main/g, /<h1/g, /aria-current="page"/g])
        expect(html.match(once)).toHaveLength(1);
      const ids = [...html.matchAll(/ id="([^"]*)"/g)].map((match) => match[1]!);
      expect(ids).toEqual([...new Set(ids)]);
      const labelled = [...html.matchAll(/<label for="([^"]*)"/g)].map((match) => match[1]!);
      for (const field of html.match(/(?<!<label>)<(input|textarea)[^>]*>/g) ?? [])
        if (!field.includes('type="hidden"')) expect(labelled).toContain(/ id="([^"]*)"/.exec(field)?.[1]);
      for (const image of html.match(/<img[^>]*>/g) ?? []) expect(image).toContain('alt=');
    }
  });
});

describe('short links', () => {
  const IPHONE =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

  const visit = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(url, { method, headers, redirect: 'manual' });

  const scans = async ({ call }: Service, query = '') => (await call('GET', `/scans${query}`)).json;
  const rows = async (service: Service, query = '') =>
    (await scans(service, query))['data'] as Record<string, unknown>[];

  test('redirects to the current destination while the code is published', async () => {
    const { call, createCode, emulator } = await startService();
    const { id, publicUrl } = await createCode('Table 4', 'https://example.com/a?b=c#d');
    expect((await visit(publicUrl)).status).toBe(404);
    await call('POST', `/qr/${id}/publish`);
    const first = await visit(publicUrl);
    expect(first.status).toBe(302);
    expect(first.headers.get('Location')).toBe('https://example.com/a?b=c#d');
    expect(first.headers.get('Cache-Control')).toBe('no-store');
    await call('POST', `/qr/${id}/destination`, { body: { url: 'https://example.com/ünder' } });
    expect((await visit(publicUrl)).headers.get('Location')).toBe('https://example.com/%C3%BCnder');
    emulator.control.archive(id);
    expect((await visit(publicUrl)).status).toBe(410);
    expect((await visit(`${emulator.redirectUrl}/nothing`)).status).toBe(404);
  });

  async function published(options?: Parameters<typeof startService>[0]) {
    const service = await startService(options);
    const code = await service.createCode();
    await service.call('POST', `/qr/${code.id}/publish`);
    return { ...service, code };
  }

  test('records a visit as a scan with the details of the request', async () => {
    const service = await published();
    await visit(service.code.publicUrl, {
      'User-Agent': IPHONE,
      Referer: 'https://menu.example.com/page?secret=1',
      'CF-IPCountry': 'at',
      'X-Forwarded-For': '203.0.113.7',
      Cookie: 'a=b',
    });
    // Nothing that identifies a visitor.
    expect(await scans(service)).toEqual({
      data: [
        {
          id: expect.stringMatching(/^scan_/),
          qrId: service.code.id,
          scannedAt: expect.stringMatching(/\.\d{3}Z$/),
          country: 'AT',
          device: 'mobile',
          os: 'iOS',
          browser: 'Safari',
          referrer: 'menu.example.com',
        },
      ],
      allowedDimensions: ['country', 'device', 'os', 'browser', 'referrer'],
      pagination: { nextCursor: null },
    });
  });

  test.each([
    ['(Windows NT 10.0; Win64; x64) Chrome/126.0 Safari/537.36 Edg/126.0', 'desktop', 'Windows', 'Edge'],
    ['(Linux; Android 14; Pixel 8) Chrome/126.0 Mobile Safari/537.36', 'mobile', 'Android', 'Chrome'],
    ['(an unknown device)', null, null, null],
  ])('reads the user agent %s as %s, %s, %s', async (userAgent, device, os, browser) => {
    const service = await published();
    await visit(service.code.publicUrl, { 'User-Agent': `Mozilla/5.0 ${userAgent}` });
    expect(await rows(service)).toMatchObject([{ device, os, browser, country: null, referrer: null }]);
  });

  test.each([
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'WhatsApp/2.23.20.0',
    'Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/126.0',
  ])('redirects %s, and HEAD requests, without recording a scan', async (userAgent) => {
    const service = await published();
    expect((await visit(service.code.publicUrl, {}, 'HEAD')).status).toBe(302);
    expect((await visit(service.code.publicUrl, { 'User-Agent': userAgent })).status).toBe(302);
    expect(await rows(service)).toEqual([]);
  });
});
