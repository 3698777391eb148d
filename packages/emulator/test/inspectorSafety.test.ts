import http from 'node:http';
import { EVENT_TYPES } from '@qr-service/core';
import { openInspector } from './support/inspector.ts';
import { codeInput, startService } from './support/service.ts';

const PAGES = ['/requests', '/codes', '/codes/new', '/subscriptions', '/deliveries', '/deliveries/new'];
const HOSTILE = `<script>alert(1)</script>"><img src=x onerror='alert(2)'>&amp;`;

/** An inspector with a page for a record of each kind, all with hostile content. */
async function start() {
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

test('escapes everything that comes from outside, and forbids foreign scripts and framing', async () => {
  const { pages, get } = await start();
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
  const { pages, emulator } = await start();
  for (const path of pages) {
    const refused = await statusFor(emulator.url + path, 'evil.example.com');
    expect(refused.status).toBe(403);
    expect(refused.body).not.toContain(emulator.apiKey);
    for (const host of ['localhost:4010', '127.0.0.1', '[::1]:4010', '192.0.2.7'])
      expect((await statusFor(emulator.url + path, host)).status).toBe(200);
  }
  expect((await statusFor(`${emulator.url}/v1/public-api/me`, 'api.example.com')).status).toBe(401);
  expect((await statusFor(`${emulator.url}/r/none`, 'qr.example.com')).status).toBe(404);
});

test.each([
  ['from another site', { Origin: 'https://evil.example.com', 'Sec-Fetch-Site': 'cross-site' }],
  ['from another local port', { Origin: 'http://127.0.0.1:1', 'Sec-Fetch-Site': 'same-site' }],
  ['with a null origin', { Origin: 'null' }],
  ['without an origin', {}],
])('rejects a form %s and changes nothing', async (_whose, headers) => {
  const { emulator, post, call, id } = await start();
  const [subscription, delivery] = [emulator.control.subscriptions()[0]!, emulator.control.deliveries()[0]!];
  const actions = ['publish', 'archive', 'unarchive', 'rename', 'retarget', 'delete'];
  for (const path of [
    ...actions.map((action) => `/codes/${id}/${action}`),
    '/codes',
    `/subscriptions/${subscription.id}/delete`,
    '/deliveries',
    `/deliveries/${delivery.id}/redeliver`,
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
  const { pages, get } = await start();
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
