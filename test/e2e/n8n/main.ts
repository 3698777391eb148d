import { parseArgs } from 'node:util';

/** Tries the package on a real n8n server, its polling triggers on n8n's durable scheduler, or takes pictures of its panels for the README. */
export async function run(args: string[]): Promise<void> {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({ args, options: { screenshots: flag, durable: flag } });
  if (values.screenshots) return (await import('./screenshots.ts')).run();
  return (await import('./suite.ts')).run(values.durable);
}
