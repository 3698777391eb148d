import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import * as core from '../index.ts';
import * as webhook from './index.ts';

const SHARED = fileURLToPath(new URL('../..', import.meta.url));

async function bundle(): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: SHARED,
    entryPoints: ['src/webhook/index.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    minify: true,
    write: false,
    metafile: true,
    outdir: 'out',
  });
  return metafile;
}

describe('the webhook entry point', () => {
  it('bundles to a few kilobytes without client code that need only node:crypto', async () => {
    const metafile = await bundle();
    const files = Object.keys(metafile.inputs);
    expect(files).toContain('src/webhook/verifyWebhook.ts');
    expect(files.filter((file) => !/^src\/(webhook|contract|errors|json|wire)\//.test(file))).toEqual([]);
    const [output] = Object.values(metafile.outputs);
    expect(output!.imports.map(({ path }) => path)).toEqual(['node:crypto']);
    expect(output!.bytes).toBeLessThan(16_000);
  });

  it('exports the same verifier, signer and errors as the whole core', () => {
    const inBoth = Object.entries(webhook).filter(([name]) => name in core);
    expect(inBoth.map(([name]) => name)).toEqual(
      expect.arrayContaining(['verifyWebhook', 'signWebhook', 'isWebhookVerificationError']),
    );
    for (const [name, value] of inBoth) expect(core).toHaveProperty(name, value);
  });
});
