import { parseArgs } from 'node:util';
import { omitUndefined } from '@qr-service/core/connector';
import { UsageError } from '../../support/suite/UsageError.ts';
import { run as runSuite } from './suite.ts';

/** Tests the package on a real n8n server, with `--durable` on its durable scheduler. */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: {
      durable: { type: 'boolean', default: false },
      'n8n-url': { type: 'string' },
      host: { type: 'string' },
    },
    allowPositionals: true,
  });
  const url = values['n8n-url'];
  if (url !== undefined && values.durable) throw new UsageError('--n8n-url only runs parts.');
  await runSuite(
    values.durable,
    positionals,
    url === undefined ? undefined : { url, ...omitUndefined({ host: values.host }) },
  );
}
