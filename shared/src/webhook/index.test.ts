import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

it('the webhook entry point bundles to a few kilobytes without client code that need only node:crypto', async () => {
  const absWorkingDir = fileURLToPath(new URL('../..', import.meta.url));
  const into = { bundle: true, platform: 'node', format: 'esm', minify: true, outdir: 'out' } as const;
  const entryPoints = ['src/webhook/index.ts'];
  const { metafile } = await build({ ...into, absWorkingDir, entryPoints, write: false, metafile: true });
  const files = Object.keys(metafile.inputs);
  expect(files).toContain('src/webhook/verifyWebhook.ts');
  expect(files.filter((file) => !/^src\/(webhook|contract|errors|json|wire)\//.test(file))).toEqual([]);
  const [output] = Object.values(metafile.outputs);
  expect(output!.imports.map(({ path }) => path)).toEqual(['node:crypto']);
  expect(output!.bytes).toBeLessThan(16_000);
});
