import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { writeLicenses } from './writeLicenses.mjs';

/**
 * Bundles a command, the core and all libraries into dist/main.js, as an ES module: the package has no runtime
 * dependencies, so `npx` installs one small package. Writes the licenses of the libraries next to it.
 * @param {string} root folder of the package
 * @param {import('esbuild').BuildOptions} options what differs between commands
 */
export async function bundleCommand(root, options) {
  const dist = join(root, 'dist');
  await mkdir(dist, { recursive: true });
  // Declarations of `tsc -b` stay: they are built separately.
  for (const name of await readdir(dist))
    if (name !== 'types') await rm(join(dist, name), { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    outdir: 'dist',
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    conditions: ['@qr-service/source'],
    // For CommonJS libraries that load Node.js's own modules.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    legalComments: 'none',
    minify: true,
    lineLimit: 160,
    metafile: true,
    logLevel: 'warning',
    ...options,
    alias: { undici: join(import.meta.dirname, 'undici.mjs'), ...options.alias },
  });
  await writeLicenses(root, dist, Object.keys(metafile.inputs));
}
