import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import * as core from '../index.ts';
import * as webhook from './index.ts';

const SHARED = fileURLToPath(new URL('../..', import.meta.url));

let metafile: Metafile;
beforeAll(async () => {
  ({ metafile } = await build({
    absWorkingDir: SHARED,
    entryPoints: ['src/webhook/index.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    minify: true,
    write: false,
    metafile: true,
    outdir: 'out',
  }));
});

describe('the webhook entry point', () => {
  it('imports no client code except the base error', () => {
    const files = Object.keys(metafile.inputs);
    expect(files).toContain('src/webhook/verifyWebhook.ts');
    expect(files.filter((file) => !/^src\/(webhook|contract|wire)\//.test(file))).toEqual([
      expect.stringMatching(/^src\/\w+\/QrServiceError\.ts$/),
    ]);
  });

  it('bundles to few bytes that need only node:crypto', () => {
    const [output] = Object.values(metafile.outputs);
    expect(output!.imports.map(({ path }) => path)).toEqual(['node:crypto']);
    expect(output!.bytes).toBeLessThan(16_000);
  });

  it('exports the same functions as the whole core', () => {
    expect(Object.keys(webhook).length).toBeGreaterThan(8);
    for (const [name, value] of Object.entries(webhook)) expect(core).toHaveProperty(name, value);
  });
});
