#!/usr/bin/env node
// Exists before the build, so that npm can link the command when it installs a fresh clone.
import { existsSync } from 'node:fs';
import process from 'node:process';
import { URL } from 'node:url';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) await import(main.href);
else {
  process.stderr.write("The emulator isn't built yet. Run npm run build first.\n");
  process.exitCode = 1;
}
