// Builds the core twice: as ES modules (tsconfig.json) and as CommonJS (tsconfig.cjs.json). Compiles only what changed.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = join(root, '../node_modules/typescript-7/bin/tsc');
const run = (...args) => execFileSync(process.execPath, [tsc, ...args], { cwd: root, stdio: 'inherit' });

// Without its output, a format must be compiled again.
for (const format of ['esm', 'cjs'])
  if (!existsSync(join(root, 'dist', format, 'index.js')))
    rmSync(join(root, `dist/${format}.tsbuildinfo`), { force: true });
run('-b', 'tsconfig.json', 'tsconfig.cjs.json');
for (const format of ['esm', 'cjs']) removeStale(join(root, 'dist', format));
writeFileSync(join(root, 'dist/cjs/package.json'), '{ "type": "commonjs" }\n');

/** The output of a source file that was deleted must not be packed. */
function removeStale(folder) {
  for (const file of readdirSync(folder, { recursive: true })) {
    const [path, extension] = file.split(/(\.d\.ts|\.js)$/);
    if (extension !== undefined && !existsSync(join(root, 'src', `${path}.ts`))) rmSync(join(folder, file));
  }
}
