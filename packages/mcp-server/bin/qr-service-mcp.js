#!/usr/bin/env node
// Exists before the build, so that npm can link the command when it installs a fresh clone.
import { existsSync } from 'node:fs';
import process from 'node:process';
import { URL } from 'node:url';
import { setFlagsFromString } from 'node:v8';

// A small young generation keeps the process within 60 MB. It must be set before the modules are loaded.
setFlagsFromString('--max-semi-space-size=1');

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) await import(main.href);
else {
  process.stderr.write("The MCP server isn't built yet. Run npm run build first.\n");
  process.exitCode = 1;
}
