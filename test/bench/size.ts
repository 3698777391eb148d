import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import core from '@qr-service/core/package.json' with { type: 'json' };
import { build } from 'esbuild';
import { table } from '../../scripts/terminal/table.ts';
import { record } from './compare.ts';

/** How large is each entry point? */
export async function run(): Promise<void> {
  const found: Record<string, { minified: number; gzipped: number }> = {};
  for (const [path, target] of Object.entries(core.exports)) {
    // The others are files, not modules.
    if (typeof target === 'string') continue;
    const entry = path.replace('.', core.name);
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
