import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installTool } from '../../scripts/tools/install.ts';
import { CONSUMER_NODE, packCore, type PackedCore } from './support/packCore.ts';

/** Runs Node without the flags and conditions of the test process. */
async function node(cwd: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '' };
  try {
    return (await promisify(execFile)(CONSUMER_NODE, args, { cwd, env })).stdout;
  } catch (error) {
    // The compiler prints its errors to standard output.
    const { message, stdout } = error as Error & { stdout: string };
    throw new Error(`${message}\n${stdout}`, { cause: error });
  }
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

  it('recognizes an error of its other format, loaded beside it', async () => {
    const consumer = await core.install('cjs', []);
    const code = `
      const { TransportError } = require('@qr-service/core');
      const error = new TransportError('', { kind: 'network' });
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

  it('contains the README, the license and the changelog', async () => {
    const consumer = await core.install('cjs', []);
    const files = await readdir(join(consumer, 'node_modules/@qr-service/core'));
    const documents = ['CHANGELOG.md', 'LICENSE', 'README.md'];
    expect(files.sort()).toEqual([...documents, 'contract', 'dist', 'package.json']);
  });

  it('has types that compile in strict mode, including those of its dependencies', async () => {
    const tools = join(await installTool('package-checks'), 'node_modules');
    const consumer = await core.install('types', ['undici', '@types/node', 'qr-service-emulator']);
    const configs = ['tsconfig.json', 'tsconfig.bundler.json', 'tsconfig.node10.json'];
    for (const config of configs)
      expect(await node(consumer, join(tools, 'typescript-oldest/bin/tsc'), '-p', config)).toBe('');
    // It no longer has node10.
    for (const config of configs.slice(0, -1))
      expect(await node(consumer, join(tools, 'typescript-newest/bin/tsc'), '-p', config)).toBe('');

    const { version } = JSON.parse(await readFile(join(tools, 'typescript-oldest/package.json'), 'utf8'));
    const readme = await readFile(join(consumer, 'node_modules/@qr-service/core/README.md'), 'utf8');
    expect(readme).toContain(`TypeScript ${version.replace(/\.\d+$/, '')} or newer`);
  }, 600_000);
});
