import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { Browser, Page, PageOptions } from '../../../scripts/tools/chromium.ts';
import { step } from '../support/suite/step.ts';
import { fill } from './pictures.ts';
import { lowContrasts, namelessControls } from './probes.ts';
import { startWorld } from './world.ts';

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };
/** Longer than a line, without a line break opportunity. */
const LONG = 'x'.repeat(180);

/** Tests the inspector in a real browser, step by step. */
export async function runSteps(browser: Browser): Promise<void> {
  const world = await startWorld();
  after(async () => {
    await browser.close();
    await world.stop();
  });
  const { emulator, call, create } = world;
  await fill(world);
  const { id } = await create(LONG, `https://example.com/${LONG}`);
  await call('GET', `/qr/${LONG}`);
  emulator.control.answerFeedback(id, 3);
  emulator.control.failDeliveries({ kind: 'wrong secret' });
  emulator.control.emit('feedback.campaign_published', { [LONG]: LONG });
  await emulator.control.settled();
  emulator.control.failNext({ preset: 'quota_exceeded', times: Infinity, match: { path: `/${LONG}` } });

  const paths = () => [
    '/',
    `/requests/${emulator.control.requests().at(-1)?.requestId ?? ''}`,
    '/codes',
    `/codes/${id}`,
    '/subscriptions',
    '/deliveries',
    `/deliveries/${emulator.control.deliveries().at(-1)?.id ?? ''}`,
    '/deliveries/send',
    '/scans',
    '/faults',
    '/keys',
    '/clock',
    '/codes?q=nothing+like+it',
  ];

  /**
   * Opens a page, and fails on browser errors and warnings, such as script errors and CSP violations.
   * @param rejections expected number of rejected forms, which the browser reports as errors, too
   */
  async function open(
    path: string,
    { rejections = 0, ...options }: PageOptions & { rejections?: number },
    work: (page: Page) => Promise<void>,
  ) {
    const page = await browser.newPage(options);
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    try {
      await page.goto(emulator.url + path);
      if (options.javaScriptEnabled !== false) await page.waitForSelector('.live:text("Live")');
      await work(page);
      assert.deepEqual(complaints.slice(rejections), []);
    } finally {
      await page.close();
    }
  }

  step('a new request appears live, without closing open sections or moving the focus', () =>
    open('/', { viewport: DESKTOP }, async (page) => {
      await page.click('#api-key > summary');
      await page.focus('tbody .row-link');
      const focused = await page.evaluate('document.activeElement.getAttribute("href")');
      await call('GET', '/qr/just_now');
      await page.waitForSelector('tbody tr:first-child:has-text("/qr/just_now")');
      assert.equal(await page.evaluate('document.activeElement.getAttribute("href")'), focused);
      assert.equal(await page.evaluate('document.querySelector("#api-key").open'), true);
    }),
  );

  step('a live update leaves a half-filled form unchanged', () =>
    open(`/codes/${id}`, { viewport: DESKTOP }, async (page) => {
      await page.fill('#rename', 'Half a na');
      const other = await create('Made meanwhile', 'https://example.com/');
      await page.waitForSelector(`#row-${other.id}`);
      assert.equal(await page.evaluate('document.querySelector("#rename").value'), 'Half a na');
    }),
  );

  step('a form error stays visible, with the input, during live updates', () =>
    open('/deliveries/send', { viewport: DESKTOP, rejections: 1 }, async (page) => {
      await page.fill('#data', '{ "half": ');
      await page.click('.send button');
      await page.waitForSelector(`[role=alert]:has-text("isn't valid JSON")`);
      await call('GET', '/qr/meanwhile');
      const count = emulator.control.requestCount().toLocaleString('en');
      await page.waitForSelector(`#tabs li:first-child .count:text-is("${count}")`);
      await page.waitForSelector('[role=alert]');
      assert.equal(await page.evaluate('document.querySelector("#data").value'), '{ "half":');
    }),
  );

  step('a retry of the open delivery appears in its details', () =>
    open('/deliveries', { viewport: DESKTOP }, async (page) => {
      world.respondNextWith(500);
      emulator.control.emit('export.ready');
      await page.waitForSelector('tbody tr:first-child:has-text("export.ready")');
      await page.click('tbody tr:first-child .row-link');
      await page.waitForSelector('.attempts li:nth-child(2):has-text("204")');
      await page.waitForSelector('.verdict.good');
    }),
  );

  step('a filtered list stays filtered while requests arrive, and after a reload', () =>
    open('/', { viewport: DESKTOP }, async (page) => {
      await page.fill('#filter-q', 'wanted');
      await page.focus('#filter-q');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/\?q=wanted$/);
      await call('GET', '/qr/not_this_one');
      await call('GET', '/qr/wanted_one');
      const rows = 'tbody tr';
      await page.waitForSelector(`${rows}:has-text("wanted_one")`);
      assert.equal(await page.locator(rows).count(), 1);
      await page.goto(String(await page.evaluate('location.href')));
      assert.equal(await page.locator(rows).count(), 1);
      await page.click('tbody .row-link');
      await page.waitForSelector('.detail');
      assert.equal(await page.evaluate('location.search'), '?q=wanted');
      assert.equal(await page.locator('#filter-q').inputValue(), 'wanted');
    }),
  );

  step('a new key is shown once, stays during live updates and can be revoked', () =>
    open('/keys', { viewport: PHONE }, async (page) => {
      await page.click('#create > summary');
      await page.fill('#key-name', 'Made in the browser');
      await page.click('[id="scopes-qr:write"]');
      await page.fill('#key-expires', '2999-01-31T09:30');
      await page.click('#create button');
      await page.waitForSelector('#new-secret');
      await page.waitForSelector('.live:text("Live")');
      await call('GET', '/qr/while_it_is_shown');
      await page.waitForSelector('#new-secret');
      await page.goto(`${emulator.url}/keys`);
      assert.equal(await page.locator('#new-secret').count(), 0);
      await page.click('.blocks li:first-child .confirm > summary');
      await page.click('.blocks li:first-child .confirm button');
      await page.waitForSelector('.notice:has-text("Revoked.")');
      await page.waitForSelector('.blocks li:first-child .badge:text("revoked")');
    }),
  );

  step('the clock can be moved ahead and back with the keyboard alone', () =>
    open('/clock', { viewport: DESKTOP }, async (page) => {
      await page.fill('#amount', '2');
      await page.keyboard.press('Enter');
      await page.waitForSelector('main:has-text("2 hours ahead")');
      await page.focus('main form[action="/clock/now"] button');
      await page.keyboard.press('Enter');
      await page.waitForSelector('main:has-text("Difference none")');
    }),
  );

  step('a subscription can be created without JavaScript', () =>
    open('/subscriptions', { viewport: DESKTOP, javaScriptEnabled: false }, async (page) => {
      await page.click('#create > summary');
      await page.fill('#webhook-url', 'https://hooks.example.com/by-hand');
      await page.click('#create button');
      await page.waitForSelector('#new-secret');
      await page.waitForSelector('h2:has-text("by-hand")');
    }),
  );

  step('a code can be created, published and opened with the keyboard alone', () =>
    open('/codes', { viewport: DESKTOP }, async (page) => {
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate('document.activeElement.className'), 'skip');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.fill('#create-name', 'By keyboard');
      await page.fill('#create-target', 'https://example.com/keyboard');
      await page.focus('#create-publish');
      await page.keyboard.press('Space');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.notice:text("Created.")');
      await page.focus('.code-head button.solid');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.notice:text("Published.")');
      await page.focus('.card .row-link');
      await page.keyboard.press('Tab');
      const next = await page.evaluate('document.activeElement.getAttribute("href")');
      await page.keyboard.press('Enter');
      await page.waitForURL(new RegExp(`${String(next)}$`));
      assert.equal(await page.evaluate('document.activeElement.id'), 'detail-heading');
    }),
  );

  step('the focused element is visibly marked', () =>
    open('/codes', { viewport: DESKTOP }, async (page) => {
      for (let nth = 0; nth < 12; nth++) {
        await page.keyboard.press('Tab');
        const outline = await page.evaluate(
          `Math.max(...[null, '::after'].map((pseudo) =>
             parseFloat(getComputedStyle(document.activeElement, pseudo).outlineWidth) || 0))`,
        );
        assert.ok(Number(outline) >= 2, `the ${nth + 1}th stop has no outline`);
      }
    }),
  );

  step('no page scrolls horizontally at any width from phone to desktop', async () => {
    for (const path of paths())
      for (const viewport of [PHONE, { width: 768, height: 900 }, DESKTOP])
        await open(path, { viewport }, async (page) => {
          const width = await page.evaluate('document.documentElement.scrollWidth');
          assert.ok(Number(width) <= viewport.width, `${path} is ${String(width)} wide at ${viewport.width}`);
        });
  });

  step('on a phone, details replace the list and link back to it', () =>
    open('/', { viewport: PHONE }, async (page) => {
      await page.click('tbody .row-link');
      await page.waitForSelector('.detail');
      assert.equal(await page.evaluate('document.querySelector(".list").offsetWidth'), 0);
      await page.click('.back a');
      await page.waitForSelector('.list table');
    }),
  );

  step('light and dark themes differ, and all text meets AA contrast in both', async () => {
    const backgrounds = new Set<unknown>();
    for (const colorScheme of ['light', 'dark'] as const)
      for (const path of paths())
        await open(path, { viewport: DESKTOP, colorScheme }, async (page) => {
          backgrounds.add(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
          assert.deepEqual(await lowContrasts(page), [], `${path}, ${colorScheme}`);
        });
    assert.equal(backgrounds.size, 2);
  });

  step('each link, button and field has an accessible name', async () => {
    for (const path of paths())
      await open(path, { viewport: DESKTOP }, async (page) =>
        assert.deepEqual(await namelessControls(page), [], path),
      );
  });

  step('codes can be created and deleted without JavaScript', () =>
    open('/codes', { viewport: DESKTOP, javaScriptEnabled: false }, async (page) => {
      await page.click('#create > summary');
      await page.fill('#create-name', 'Without script');
      await page.fill('#create-target', 'https://example.com/');
      await page.click('#create button');
      await page.waitForSelector('.notice:text("Created.")');
      await page.click('#delete > summary');
      await page.click('#delete button');
      await page.waitForSelector('.notice:text("Deleted permanently.")');
    }),
  );
}
