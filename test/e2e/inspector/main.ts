// npm run e2e:inspector                 the inspector in a real browser
// npm run e2e:inspector -- --pictures   pictures of it for the README
import { parseArgs } from 'node:util';
import { openChromium } from '../../../harness/browser.ts';
import { takePictures } from './pictures.ts';
import { runSteps } from './suite.ts';

const { values } = parseArgs({ options: { pictures: { type: 'boolean', default: false } } });

const browser = await openChromium();
if (browser !== undefined && values.pictures) {
  await takePictures(browser);
  await browser.close();
} else if (browser !== undefined) await runSteps(browser);
