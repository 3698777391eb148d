import { type Service, startService } from './support/service.ts';

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
