/** Bundles the nodes and the credential into one CommonJS file of dist/, next to their icons, codex files and output schemas. */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, 'dist');
const { n8n } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
/** The files that n8n loads, and what each of them is built from. */
const loaded = [...n8n.nodes, ...n8n.credentials];
const sourceOf = (file) => file.replace(/^dist\//, './').replace(/\.js$/, '.ts');

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
const contents = loaded.map((file) => `export * from '${sourceOf(file)}';`).join('\n');
const stdin = { contents, resolveDir: root };
await build({ ...bundle, stdin, outfile: 'dist/bundle.js', format: 'cjs' });
for (const file of loaded) {
  await mkdir(dirname(join(root, file)), { recursive: true });
  const path = posix.relative(posix.dirname(file), 'dist/bundle.js');
  await writeFile(join(root, file), `module.exports = require('${path}');\n`);
}
for (const node of n8n.nodes) {
  const codex = node.replace(/\.js$/, '.json');
  await cp(join(root, sourceOf(codex)), join(root, codex));
}
await cp(join(root, 'icons'), join(dist, 'icons'), { recursive: true });

// Each node's output schemas, in its `__schema__` folder, where n8n looks for them.
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
