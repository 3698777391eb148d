#!/usr/bin/env node
// Exists before the build, so that npm can link the command when it installs a fresh clone.
import { existsSync } from 'node:fs';
import process from 'node:process';
import { URL } from 'node:url';
import { setFlagsFromString } from 'node:v8';

// These save 10 MB: a young generation that stays small, and no compilers, as the server mostly waits for the network.
// They must be set before the modules are loaded.
for (const flag of [
  '--max-semi-space-size=1',
  '--semi-space-growth-factor=1',
  '--no-sparkplug',
  '--no-maglev',
  '--no-opt',
])
  setFlagsFromString(flag);

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) await import(main.href);
else {
  process.stderr.write("The MCP server isn't built yet. Run npm run build first.\n");
  process.exitCode = 1;
}
