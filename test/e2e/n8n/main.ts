// npm run e2e:n8n                    the package on a real n8n server, which is installed once
// npm run e2e:n8n -- --if-installed  the same, but nothing where it would have to be installed first
// npm run e2e:n8n -- --screenshots   pictures of its panels for the README
import { parseArgs } from 'node:util';
import { isInstalled } from '../../../tools/install.ts';

const { values } = parseArgs({
  options: {
    screenshots: { type: 'boolean', default: false },
    'if-installed': { type: 'boolean', default: false },
  },
});

if (values['if-installed'] && !(await isInstalled('n8n'))) {
  console.log('The tests on a real n8n server are left out: npm run e2e:n8n installs one, once.');
} else {
  const { run } = values.screenshots ? await import('./screenshots.ts') : await import('./suite.ts');
  await run();
}
