import { parseArgs } from 'node:util';
import { openChromium } from '../../../scripts/tools/chromium.ts';
import { takePictures } from './pictures.ts';
import { runSteps } from './suite.ts';

/** Tests the inspector in a real browser, or takes screenshots for the README. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { pictures: { type: 'boolean', default: false } } });
  const browser = await openChromium();
  if (!values.pictures) return runSteps(browser);
  await takePictures(browser);
  await browser.close();
}
