import { parseArgs } from 'node:util';

/** Tries the package on a real n8n server, or takes pictures of its panels for the README. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { screenshots: { type: 'boolean', default: false } } });
  const suite = values.screenshots ? await import('./screenshots.ts') : await import('./suite.ts');
  await suite.run();
}
