// npm run e2e:n8n                  the package on a real n8n server
// npm run e2e:n8n -- --screenshots pictures of its panels for the README
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { screenshots: { type: 'boolean', default: false } } });

const { run } = values.screenshots ? await import('./screenshots.ts') : await import('./suite.ts');
await run();
