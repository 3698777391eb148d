import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, PageOptions } from '../../../scripts/tools/chromium.ts';
import { startWorld, type World } from './world.ts';

const IMAGES = fileURLToPath(new URL('../../../packages/emulator/images/', import.meta.url));

const PICTURES: Record<string, PageOptions & { path: (world: World) => string }> = {
  'inspector-deliveries': {
    viewport: { width: 1360, height: 1400 },
    path: ({ emulator }) =>
      `/deliveries/${emulator.control.deliveries().findLast(({ tries }) => tries > 1)?.id ?? ''}`,
  },
  'inspector-codes-phone': {
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    colorScheme: 'dark',
    path: () => '/codes',
  },
};

/** Takes the screenshots for the emulator's README. */
export async function takePictures(browser: Browser): Promise<void> {
  const world = await startWorld();
  try {
    await fill(world);
    mkdirSync(IMAGES, { recursive: true });
    for (const [name, { path, ...options }] of Object.entries(PICTURES)) {
      const page = await browser.newPage(options);
      await page.goto(world.emulator.url + path(world));
      await page.waitForSelector('.live:text("Live")');
      await page.screenshot({ path: join(IMAGES, `${name}.png`) });
      await page.close();
      console.log(`✓ ${name}.png`);
    }
  } finally {
    await world.stop();
  }
}

/** Adds sample data: a restaurant's codes, requests, events and deliveries. */
export async function fill({ emulator, create, call, respondNextWith }: World): Promise<void> {
  const { control } = emulator;
  const names = ['Winter menu', 'Wine list', 'Terrace', 'Table 1', 'Table 2', 'Table 3', 'Table 4'];
  for (const name of names) {
    const { id } = await create(name, `https://example.com/${name.toLowerCase().replaceAll(' ', '-')}`);
    if (name !== 'Terrace') await call('POST', `/qr/${id}/publish`);
    if (name === 'Winter menu') control.archive(id);
    if (name === 'Table 3') control.approve(id);
    await call('GET', `/qr/${id}/image?format=svg`);
  }
  await call('GET', '/qr/qr_of_yesterday');
  control.emit('feedback.low_score_received');
  const latest = await create('Counter', 'https://example.com/loyalty');
  await control.settled();
  respondNextWith(503);
  await call('POST', `/qr/${latest.id}/publish`);
  await control.settled();
}
