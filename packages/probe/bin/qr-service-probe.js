#!/usr/bin/env node
// Exists before the build, so that npm can link the command when it installs a fresh clone.
import { existsSync } from 'node:fs';
import process from 'node:process';
import { URL } from 'node:url';

const main = new URL('../dist/main.js', import.meta.url);
if (process.getBuiltinModule === undefined) {
  const { node } = process.versions;
  process.stderr.write(`qr-service-probe: Node.js ${node} is too old. Install 20.18.1 or newer.\n`);
  process.exitCode = 2;
} else if (existsSync(main)) await import(main.href);
else {
  process.stderr.write("The probe isn't built yet. Run npm run build first.\n");
  process.exitCode = 2;
}
