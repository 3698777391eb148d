import http from 'node:http';
import { EVENT_TYPES } from '@qr-service/core';
import { openInspector } from './support/inspector.ts';
import { codeInput, startService, stopServices } from './support/service.ts';

afterEach(stopServices);

const PAGES = [
  '/',
  '/codes',
  '/subscriptions',
  '/deliveries',
  '/deliveries/send',
  '/scans',
  '/faults',
  '/keys',
  '/clock',
  '/live',
];
const HOSTILE = `<script>alert(1)</script>"><img src=x onerror='alert(2)'>&amp;`;

async function start() {
  const service = await startService();
  return { ...service, ...openInspector(service.emulator) };
}

/** A request with any Host header, which fetch doesn't allow. */
function statusFor(url: string, host: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    http
      .get(url, { headers: { Host: host } }, (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => {
          body += chunk.toString();
          response.destroy();
        });
        response.on('close', () => resolve({ status: response.statusCode ?? 0, body }));
      })
      .on('error', reject);
  });
}

test('escapes everything that comes from outside', async () => {
  const { call, get, emulator } = await start();
  const { json } = await call('POST', '/qr', {
    body: codeInput(HOSTILE, `https://example.com/?q=${HOSTILE.replaceAll(/\s/g, '')}`),
    headers: { 'Idempotency-Key': HOSTILE, 'X-Hostile': HOSTILE },
  });
  await call('GET', `/qr?name=${encodeURIComponent(HOSTILE)}`);
  await call('POST', '/webhooks', {
    body: { url: `https://hooks.example.com/?q="><script>`, eventTypes: EVENT_TYPES },
  });
  emulator.control.createKey({ name: HOSTILE, apiKey: 'hostile' });
  await call('GET', '/me', { apiKey: 'hostile' });
  await call('POST', `/qr/${String(json['id'])}/publish`);
  emulator.control.answerFeedback(String(json['id']), 1);
  emulator.control.emit('qr.created', { [HOSTILE]: HOSTILE });
  const deliveries = emulator.control.deliveries().map(({ id }) => `/deliveries/${id}`);
  const requests = emulator.control.requests().map(({ requestId }) => `/requests/${requestId}`);
  const pages = PAGES.filter((path) => path !== '/live');
  for (const path of [...pages, `/codes/${String(json['id'])}`, ...deliveries, ...requests]) {
    const { html, status } = await get(path);
    expect({ path, status }).toEqual({ path, status: 200 });
    const scripts = html.match(/<script[^>]*>/g);
    expect(scripts).toEqual(['<script type="module" src="/assets/inspector.js">']);
    // Quotes in input are escaped, so these end an attribute.
    expect(html.replaceAll(/"[^"]*"/g, '""')).not.toMatch(/<img src=x|<[^>]* onerror=/);
  }
});

test('forbids foreign scripts and framing on every page', async () => {
  const { get } = await start();
  for (const path of PAGES.filter((path) => path !== '/live')) {
    const { headers, html } = await get(path);
    const policy = headers.get('Content-Security-Policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers.get('Cache-Control')).toBe('no-store');
    // Nothing that the policy would block.
    expect(html).not.toMatch(/<style| style=| on\w+=|javascript:|src="http/);
  }
});

test.each(PAGES)('refuses to show %s under a foreign host name', async (path) => {
  const { emulator } = await start();
  const refused = await statusFor(emulator.url + path, 'evil.example.com');
  expect(refused.status).toBe(403);
  expect(refused.body).not.toContain(emulator.apiKey);
  for (const host of ['localhost:4010', '127.0.0.1', '[::1]:4010', '192.0.2.7'])
    expect((await statusFor(emulator.url + path, host)).status).toBe(200);
});

test('serves the API and short links under every host name', async () => {
  const { emulator } = await start();
  expect((await statusFor(`${emulator.url}/v1/public-api/me`, 'api.example.com')).status).toBe(401);
  expect((await statusFor(`${emulator.url}/r/none`, 'qr.example.com')).status).toBe(404);
});

test.each([
  ['from another site', { Origin: 'https://evil.example.com', 'Sec-Fetch-Site': 'cross-site' }],
  ['from another local port', { Origin: 'http://127.0.0.1:1', 'Sec-Fetch-Site': 'same-site' }],
  ['with a null origin', { Origin: 'null' }],
  ['without an origin', {}],
])('rejects a form %s and changes nothing', async (_whose, headers) => {
  const { createCode, post, call } = await start();
  const { id } = await createCode();
  const forms = ['/deliveries/send', '/faults/clear', '/keys', '/subscriptions', '/clock/now'];
  for (const path of [`/codes/${id}/delete`, `/codes/${id}/publish`, ...forms]) {
    const { status, text } = await post(path, {}, headers);
    expect(status).toBe(403);
    expect(text).toContain('This form was submitted from another site.');
  }
  expect((await call('GET', `/qr/${id}`)).json['status']).toBe('draft');
});

test.each(['multipart/form-data', 'multipart/form-data; boundary=x', 'multipart/form-data; boundary='])(
  'refuses an unreadable form of the type %s',
  async (type) => {
    const { emulator } = await start();
    const { status } = await fetch(`${emulator.url}/codes`, {
      method: 'POST',
      headers: { 'Content-Type': type, Origin: emulator.url },
      body: '--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nnever ended',
    });
    expect(status).toBe(400);
  },
);

test('refuses a form that is too large', async () => {
  const { post } = await start();
  const { status } = await post('/deliveries/send', { type: 'qr.created', data: 'x'.repeat(2 ** 20) });
  expect(status).toBe(413);
});

test.each([
  ['whose length is unknown', { 'Transfer-Encoding': 'chunked' }, 413],
  ['without a body', {}, 303],
])('handles a form %s', async (_what, headers, expected) => {
  const { emulator } = await start();
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  http
    .request(`${emulator.url}/clock/now`, { method: 'POST', headers: { Origin: emulator.url, ...headers } })
    .on('response', (response) => resolve(response.resume().statusCode))
    .on('error', reject)
    .end();
  expect(await promise).toBe(expected);
});

test('returns JSON for an unknown path of the API', async () => {
  const { call, emulator } = await start();
  for (const path of ['/nothing', '/codes'])
    expect(await call('GET', path)).toMatchObject({ status: 404, json: { code: 'not_found' } });
  const response = await fetch(`${emulator.url}/nothing`);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ code: 'not_found' });
});

test('has one main element, one h1 and a label for each field on every page', async () => {
  const { createCode, get } = await start();
  const { id } = await createCode();
  for (const path of [...PAGES.filter((path) => path !== '/live'), `/codes/${id}`]) {
    const { html } = await get(path);
    expect(html).toMatch(/<html lang="en">/);
    expect(html.match(/<main/g)).toHaveLength(1);
    expect(html.match(/<h1/g)).toHaveLength(1);
    expect(html).toContain('aria-current="page"');
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map((match) => match[1]!);
    expect(ids).toEqual([...new Set(ids)]);
    const labelled = [...html.matchAll(/<label for="([^"]*)"/g)].map((match) => match[1]!);
    for (const field of html.match(/<(input|select|textarea)[^>]*>/g) ?? [])
      if (!field.includes('type="hidden"')) expect(labelled).toContain(/ id="([^"]*)"/.exec(field)?.[1]);
    for (const image of html.match(/<img[^>]*>/g) ?? []) expect(image).toContain('alt=');
  }
});

test('shows no notice for a name that is not one', async () => {
  const { get } = await start();
  for (const name of ['constructor', '__proto__', 'none'])
    expect((await get(`/codes?notice=${name}`)).html).not.toContain('class="notice"');
});
