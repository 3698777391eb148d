/** Bundles each node and credential into one CommonJS file of dist/, next to its icons, codex file and output schemas. */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, 'dist');
const { n8n } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const sources = [...n8n.nodes, ...n8n.credentials].map((file) =>
  file.replace(/^dist\//, '').replace(/\.js$/, '.ts'),
);

/** Options of every bundle. */
const bundle = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  external: ['n8n-workflow'],
  conditions: ['@qr-service/source'],
  legalComments: 'none',
  logLevel: 'warning',
};

await rm(dist, { recursive: true, force: true });
await build({ ...bundle, entryPoints: sources, outbase: '.', outdir: 'dist', format: 'cjs' });
for (const node of sources.filter((file) => file.endsWith('.node.ts'))) {
  const codex = node.replace(/\.ts$/, '.json');
  await mkdir(dirname(join(dist, codex)), { recursive: true });
  await cp(join(root, codex), join(dist, codex));
}
await cp(join(root, 'icons'), join(dist, 'icons'), { recursive: true });
await writeSchemas();

/** Writes each node's output schemas to its `__schema__` folder, where n8n looks for them. */
async function writeSchemas() {
  const output = { entryPoints: ['outputSchemas.ts'], format: 'esm', write: false };
  const [generator] = (await build({ ...bundle, ...output })).outputFiles;
  const code = Buffer.from(generator.contents).toString('base64');
  const { SCHEMAS } = await import(`data:text/javascript;base64,${code}`);
  for (const [node, schemas] of Object.entries(SCHEMAS))
    for (const [path, schema] of Object.entries(schemas)) {
      const file = join(dist, 'nodes', node, '__schema__/v1.0.0', `${path}.json`);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, JSON.stringify(schema));
    }
}
