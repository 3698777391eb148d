import { parseArgs } from 'node:util';

/** Tests the package on a real n8n server, with `--durable` on its durable scheduler. Or takes screenshots for the README. */
export async function run(args: string[]): Promise<void> {
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = parseArgs({
    args,
    options: { screenshots: flag, durable: flag },
    allowPositionals: true,
  });
  if (values.screenshots) return (await import('./screenshots.ts')).run();
  return (await import('./suite.ts')).run(values.durable, positionals);
}
