/** Bundles the app and the core into one file: dist/index.js, or the file given. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));

await build({
  absWorkingDir: root,
  entryPoints: ['src/index.ts'],
  outfile: process.argv[2] ?? 'dist/index.js',
  bundle: true,
  platform: 'node',
  target: 'node22',
  format: 'esm',
  external: ['zapier-platform-core'],
  conditions: ['@qr-service/source'],
  legalComments: 'none',
  // Smaller by more than a third. Stack traces keep the names of functions, and lines.
  minify: true,
  keepNames: true,
  lineLimit: 160,
  logLevel: 'warning',
});
