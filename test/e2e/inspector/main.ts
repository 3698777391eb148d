// npm run e2e:inspector                 the inspector in a real browser
// npm run e2e:inspector -- --pictures   pictures of it for the README
import { parseArgs } from 'node:util';
import { installServer, isInstalled } from '../n8n/support/install.ts';
import { findChromium, launchChromium } from '../support/browser.ts';
import { takePictures } from './pictures.ts';
import { runSteps } from './suite.ts';

const { values } = parseArgs({ options: { pictures: { type: 'boolean', default: false } } });

const chromium = findChromium();
if (chromium === undefined)
  console.log('No Chromium was found, so the inspector is not tried. On Debian: apt-get install chromium');
else if (!(await isInstalled()))
  console.log(
    'The inspector is not tried: npm run e2e:n8n installs the browser driver with its server, once.',
  );
else {
  const browser = await launchChromium(await installServer(console.log), chromium);
  if (values.pictures) {
    await takePictures(browser);
    await browser.close();
  } else await runSteps(browser);
}
