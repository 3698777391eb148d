import { parseArgs } from 'node:util';

/** Tests the package on a real n8n server, with `--durable` on its durable scheduler. Or takes screenshots for the README and of the examples. */
export async function run(args: string[]): Promise<void> {
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = parseArgs({
    args,
    options: { screenshots: flag, pictures: flag, durable: flag },
    allowPositionals: true,
  });
  if (values.screenshots || values.pictures) return (await import('./screenshots.ts')).run(values.pictures);
  return (await import('./suite.ts')).run(values.durable, positionals);
}
