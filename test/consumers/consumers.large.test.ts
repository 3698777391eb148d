import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { npm } from '../../scripts/process/npm.ts';
import { compile } from '../support/process/compile.ts';
import { CONSUMER_NODE, packCore, type PackedCore } from './support/packCore.ts';

/** The oldest TypeScript that must accept the types. */
const OLDEST = '5.2.2';

/** Runs Node without the flags and conditions of the test process. */
async function node(cwd: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '' };
  return (await promisify(execFile)(CONSUMER_NODE, args, { cwd, env })).stdout;
}

describe('the packed core', () => {
  let core: PackedCore;
  beforeAll(async () => {
    core = await packCore();
  });
  afterAll(() => core.remove());

  const expected = {
    name: 'Table 4',
    failure: 'not_found',
    advice: true,
    event: 'qr.created',
    openapi: true,
  };

  it('works from ES modules', async () => {
    const consumer = await core.install('esm', ['undici']);
    expect(JSON.parse(await node(consumer, 'main.mjs'))).toEqual(expected);
  });

  it('works from CommonJS', async () => {
    const consumer = await core.install('cjs', ['undici']);
    expect(JSON.parse(await node(consumer, 'main.cjs'))).toEqual(expected);
  });

  it('recognizes an error from its other copy when both the ES and the CommonJS module are loaded', async () => {
    const consumer = await core.install('cjs', ['undici']);
    const code = `
      const { TransportError } = require('@qr-service/core');
      const error = new TransportError('', { code: 'network' });
      import('@qr-service/core').then((other) =>
        console.log(error instanceof other.TransportError, other.isTransportError(error)));`;
    expect(await node(consumer, '--eval', code)).toBe('false true\n');
  });

  it('has a webhook verifier that loads neither the client nor undici', async () => {
    const consumer = await core.install('cjs', []);
    const { names, loaded } = JSON.parse(await node(consumer, 'loaded.cjs', 'webhook'));
    expect(names).toContain('verifyWebhook');
    expect(loaded.filter((file: string) => !/^(webhook|contract|errors|json|wire)\//.test(file))).toEqual([]);
  });

  it('has a connector entry point that loads without undici', async () => {
    const consumer = await core.install('cjs', []);
    const { names, loaded } = JSON.parse(await node(consumer, 'loaded.cjs', 'connector'));
    expect(names).toEqual(expect.arrayContaining(['EVENTS', 'describeError', 'toWholeNumber']));
    expect(loaded.filter((file: string) => /undici/.test(file))).toEqual([]);
  });

  it('contains the README and the license', async () => {
    const consumer = await core.install('cjs', []);
    const files = await readdir(join(consumer, 'node_modules/@qr-service/core'));
    const documents = ['LICENSE', 'README.md'];
    expect(files.sort()).toEqual([...documents, 'contract', 'dist', 'package.json']);
  });

  // The release check covers how each kind of module resolution finds them.
  it('has types that compile in strict mode, including those of its dependencies', async () => {
    const consumer = await core.install('types', ['undici', '@types/node', 'qr-service-emulator']);
    const configs = ['tsconfig.json', 'tsconfig.emulator.json'];
    // Reads types that both use once.
    const tsc = ['exec', '--yes', `--package=typescript@${OLDEST}`, '--', 'tsc', '--build', ...configs];
    expect(await npm(consumer, ...tsc)).toBe('');
    for (const config of configs) expect(compile(join(consumer, config))).toBe('');
    const readme = await readFile(join(consumer, 'node_modules/@qr-service/core/README.md'), 'utf8');
    expect(readme).toContain(`TypeScript ${OLDEST.replace(/\.\d+$/, '')} or newer`);
  }, 600_000);
});
