import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { table } from '../../scripts/terminal/table.ts';
import { record } from './compare.ts';

/** How large is each entry point? */
export async function run(): Promise<void> {
  const found: Record<string, { minified: number; gzipped: number }> = {};
  for (const entry of [
    '@qr-service/core',
    '@qr-service/core/webhook',
    '@qr-service/core/undici',
    '@qr-service/core/node',
  ]) {
    const { outputFiles } = await build({
      stdin: {
        contents: `export * from '${entry}';`,
        resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      },
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      platform: 'node',
      external: ['undici'],
    });
    const bytes = outputFiles[0]?.contents ?? new Uint8Array();
    found[entry] = { minified: bytes.length, gzipped: gzipSync(bytes).length };
  }
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
  const rows = Object.entries(found).map(([entry, { minified, gzipped }]) => [
    kilobytes(minified),
    kilobytes(gzipped),
    entry,
  ]);
  console.log(`\nSize of each entry point, without undici\n${table([['minified', 'gzipped', ''], ...rows])}`);
  record('size', found);
}
