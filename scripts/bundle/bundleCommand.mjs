import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { writeLicenses } from './writeLicenses.mjs';

/**
 * Bundles a command, the core and all libraries into dist/main.js, as an ES module: the package has no runtime
 * dependencies, so `npx` installs one small package. Writes the licenses of the libraries next to it. With
 * --readable FOLDER it only writes a bundle there that isn't minified, and whose comments say where each part is from.
 * @param {string} root folder of the package
 * @param {import('esbuild').BuildOptions} options what differs between commands
 */
export async function bundleCommand(root, options) {
  const dist = join(root, 'dist');
  const { readable } = parseArgs({ options: { readable: { type: 'string' } } }).values;
  // Declarations of `tsc -b` stay: they are built separately.
  if (readable === undefined) {
    await mkdir(dist, { recursive: true });
    for (const name of await readdir(dist))
      if (name !== 'types') await rm(join(dist, name), { recursive: true, force: true });
  }
  const { metafile } = await build({
    absWorkingDir: root,
    outdir: readable ?? 'dist',
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    conditions: ['@qr-service/source'],
    legalComments: 'none',
    minify: readable === undefined,
    lineLimit: 160,
    metafile: true,
    logLevel: 'warning',
    ...options,
  });
  if (readable === undefined) await writeLicenses(root, dist, Object.keys(metafile.inputs));
}
