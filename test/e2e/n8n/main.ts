import { parseArgs } from 'node:util';
import { omitUndefined } from '@qr-service/core/connector';
import { UsageError } from '../../support/suite/UsageError.ts';

/** Tests the package on a real n8n server, with `--durable` on its durable scheduler. Or takes screenshots for the README and of the examples. */
export async function run(args: string[]): Promise<void> {
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = parseArgs({
    args,
    options: {
      screenshots: flag,
      pictures: flag,
      durable: flag,
      'n8n-url': { type: 'string' },
      host: { type: 'string' },
    },
    allowPositionals: true,
  });
  const url = values['n8n-url'];
  if (url !== undefined && (values.screenshots || values.pictures || values.durable))
    throw new UsageError('--n8n-url only runs parts.');
  if (values.screenshots || values.pictures) return (await import('./screenshots.ts')).run(values.pictures);
  return (await import('./suite.ts')).run(
    values.durable,
    positionals,
    url === undefined ? undefined : { url, ...omitUndefined({ host: values.host }) },
  );
}
