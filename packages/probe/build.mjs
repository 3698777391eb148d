/**
 * Bundles the probe, the core and all libraries into dist/main.js: the package has no runtime dependencies, so `npx`
 * installs one small package. The API's description becomes JSON in the bundle. Writes the licenses of the libraries next
 * to it. With --readable FOLDER it only writes a bundle there that isn't minified, and whose comments say where each part
 * is from.
 */
import { readdir, readFile, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { parse } from 'yaml';
import { writeLicenses } from '../../scripts/bundle/writeLicenses.mjs';

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, 'dist');
const { readable } = parseArgs({ options: { readable: { type: 'string' } } }).values;

const apiDescription = {
  name: 'api-description',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/]contract[\\/]apiDescription\.ts$/ }, async () => {
      const file = join(root, '../../shared/contract/openapi.yaml');
      const description = parse(await readFile(file, 'utf8'));
      return {
        contents: `export const API_DESCRIPTION = ${JSON.stringify(description)};`,
        watchFiles: [file],
      };
    });
  },
};

// Declarations of `tsc -b` stay: they are built separately.
if (readable === undefined && existsSync(dist))
  for (const name of await readdir(dist))
    if (name !== 'types') await rm(join(dist, name), { recursive: true, force: true });

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { main: 'src/cli/main.ts' },
  outdir: readable ?? 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  plugins: [apiDescription],
  conditions: ['@qr-service/source'],
  legalComments: 'none',
  minify: readable === undefined,
  lineLimit: 160,
  metafile: true,
  logLevel: 'warning',
});

if (readable === undefined) await writeLicenses(root, dist, Object.keys(metafile.inputs));
