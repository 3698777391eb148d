// Builds the core twice: as ES modules (tsconfig.json) and as CommonJS (tsconfig.cjs.json).
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { rmSync, writeFileSync } from 'node:fs';

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const root = new URL('..', import.meta.url);
const run = (...args) => execFileSync(process.execPath, [tsc, ...args], { cwd: root, stdio: 'inherit' });

// What a removed source file once gave must not be packed.
rmSync(new URL('dist', root), { recursive: true, force: true });
run('-b', 'tsconfig.json');
run('-p', 'tsconfig.cjs.json');
writeFileSync(new URL('dist/cjs/package.json', root), '{ "type": "commonjs" }\n');
