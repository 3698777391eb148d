/**
 * Bundles the app and the core into one file: dist/index.js, or the file given. With --public, the app accepts only
 * https base URLs: this is the version to upload. Otherwise it also accepts http://localhost, for tests and private
 * use. With --readable, it isn't minified, and comments name the source of each part.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { public: { type: 'boolean', default: false }, readable: { type: 'boolean', default: false } },
});

await build({
  absWorkingDir: root,
  entryPoints: ['src/index.ts'],
  outfile: positionals[0] ?? 'dist/index.js',
  define: { 'process.env.PUBLIC_BUILD': JSON.stringify(String(values.public)) },
  bundle: true,
  platform: 'node',
  target: 'node22',
  format: 'esm',
  external: ['zapier-platform-core'],
  conditions: ['@qr-service/source'],
  legalComments: 'none',
  charset: 'utf8',
  // More than a third smaller. Stack traces keep lines, not names: nothing that users see has one.
  minify: !values.readable,
  // Each line break costs bytes.
  lineLimit: 2000,
  logLevel: 'warning',
});
