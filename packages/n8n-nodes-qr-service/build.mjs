/** Bundles each node and credential into one CommonJS file of dist/, beside its icons and codex file. */
import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, 'dist');
const { n8n } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const sources = [...n8n.nodes, ...n8n.credentials].map((file) =>
  file.replace(/^dist\//, '').replace(/\.js$/, '.ts'),
);

await rm(dist, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: sources,
  outbase: '.',
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['n8n-workflow'],
  conditions: ['@qr-service/source'],
  legalComments: 'none',
  logLevel: 'warning',
});
for (const node of sources.filter((file) => file.endsWith('.node.ts'))) {
  const codex = node.replace(/\.ts$/, '.json');
  await mkdir(dirname(join(dist, codex)), { recursive: true });
  await cp(join(root, codex), join(dist, codex));
}
await cp(join(root, 'icons'), join(dist, 'icons'), { recursive: true });
