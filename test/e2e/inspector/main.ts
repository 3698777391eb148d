import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { EVENT_TYPES, type QrCode } from '@qr-service/core';
import { API_PATH } from '@qr-service/core/connector';
import { startEmulator } from 'qr-service-emulator';
import { openChromium } from '../../../scripts/tools/chromium.ts';
import { step } from '../support/suite/step.ts';

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };
/** Longer than a line, without a line break opportunity. */
const LONG = 'x'.repeat(180);

/** Tests the inspector in a real browser, step by step. */
export async function run(): Promise<void> {
  const statuses: number[] = [];
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(statuses.shift() ?? 204).end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const emulator = await startEmulator({ connectTo: { 'hooks.example.com': address }, retryBaseMs: 50 });
  const { url, apiKey, control } = emulator;
  const browser = await openChromium();
  after(async () => {
    await browser.close();
    await emulator.stop();
    receiver.close().closeAllConnections();
  });

  async function call(method: string, path: string, body?: unknown): Promise<unknown> {
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    return (await fetch(`${url}${API_PATH}${path}`, init)).json();
  }
  const create = async (name: string) => {
    const content = { targetUrl: `https://example.com/${name}` };
    return (await call('POST', '/qr', { name, mode: 'dynamic', contentType: 'url', content })) as QrCode;
  };
  await call('POST', '/webhooks', { url: `https://hooks.example.com/${LONG}`, eventTypes: EVENT_TYPES });
  const { id } = await create(LONG);
  await call('GET', `/qr/${LONG}`);
  control.emit('feedback.campaign_published', { [LONG]: LONG });
  await control.settled();

  // Each page starts more processes.
  const page = await browser.newPage();
  let complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('status of 422'))
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));

  /** Opens a path, and fails on script errors, CSP violations and other complaints, except for rejected forms. */
  async function open(path: string, viewport: { width: number; height: number }, work: () => Promise<void>) {
    complaints = [];
    await page.setViewportSize(viewport);
    await page.goto(url + path);
    await page.waitForSelector('#live:has-text("Live")');
    await work();
    assert.deepEqual(complaints, []);
  }

  step('a new request appears live, without closing open sections or moving the focus', () =>
    open('/', DESKTOP, async () => {
      await page.click('#api-key > summary');
      await page.focus('tbody a');
      const focused = await page.evaluate('document.activeElement.href');
      await call('GET', '/qr/just_now');
      await page.waitForSelector('tbody tr:first-child:has-text("/qr/just_now")');
      assert.equal(await page.evaluate('document.activeElement.href'), focused);
      assert.equal(await page.evaluate('document.querySelector("#api-key").open'), true);
    }),
  );

  step(
    'a live update leaves a half-filled form unchanged, and shows the retry of an open delivery',
    async () => {
      await open(`/codes/${id}`, DESKTOP, async () => {
        await page.fill('#name', 'Half a na');
        await page.focus('#targetUrl');
        await page.waitForSelector(`#row-${(await create('Meanwhile')).id}`);
        assert.equal(await page.locator('#name').inputValue(), 'Half a na');
        assert.equal(await page.evaluate('document.activeElement.id'), 'targetUrl');
      });
      await open('/deliveries', DESKTOP, async () => {
        statuses.push(500);
        control.emit('export.ready');
        await page.waitForSelector('tbody tr:first-child:has-text("export.ready")');
        await page.click('tbody a');
        await page.waitForSelector('#attempt-2:has-text("204") .notice.good');
      });
    },
  );

  step('a code can be created, published and scanned with the keyboard alone', () =>
    open('/codes', DESKTOP, async () => {
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate('document.activeElement.className'), 'skip');
      for (const key of ['Enter', 'Tab', 'Enter']) await page.keyboard.press(key);
      await page.waitForSelector('#detail-heading:focus');
      await page.keyboard.press('Tab');
      await page.keyboard.type('By keyboard');
      await page.keyboard.press('Tab');
      await page.keyboard.type('https://example.com/keyboard');
      for (const key of ['Tab', 'Space', 'Enter']) await page.keyboard.press(key);
      await page.waitForSelector('.notice:text("Created.")');
      await page.focus('.head button.solid');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.notice:text("Published.")');
      await fetch((await page.locator('.head a.solid').getAttribute('href')) ?? '', { redirect: 'manual' });
      await page.waitForSelector('.facts:has-text("1, latest")');
    }),
  );

  step(
    'no page scrolls horizontally, and on a phone, details replace the list and link back to it',
    async () => {
      const lists = ['/', '/codes', '/subscriptions', '/deliveries'];
      const { requestId } = control.requests().find(({ path }) => path.includes(LONG))!;
      const delivery = control.deliveries()[1]!.id;
      const details = [`codes/${id}`, `requests/${requestId}`, `deliveries/${delivery}`, 'deliveries/new'];
      for (const path of [...lists, ...details.map((detail) => `/${detail}`)])
        for (const viewport of [PHONE, DESKTOP])
          await open(path, viewport, async () => {
            const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
            assert.ok(width <= viewport.width, `${path} is ${width} wide at ${viewport.width}`);
          });
      await open('/', PHONE, async () => {
        await page.click('tbody a');
        await page.waitForSelector('.detail');
        assert.equal(await page.evaluate('document.querySelector(".list").offsetWidth'), 0);
        await page.click('.back a');
        await page.waitForSelector('.list table');
      });
    },
  );
}
