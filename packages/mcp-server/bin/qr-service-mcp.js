#!/usr/bin/env node
// Exists before the build, so that npm can link the command when it installs a fresh clone.
const { process, setTimeout } = globalThis;

if (process.getBuiltinModule === undefined) {
  process.stderr.write(
    `qr-service-mcp: Node.js ${process.versions.node} is too old. Install 20.18.1 or newer.\n`,
  );
  process.exit(2);
}

// These keep the process within 60 MB: a young generation that stays small, and no compilers, as the server mostly waits
// for the network. They only affect code that is loaded after them.
const FLAGS = ['--semi-space-growth-factor=1', '--no-sparkplug', '--no-maglev', '--no-opt'];
const { setFlagsFromString } = process.getBuiltinModule('node:v8');
for (const flag of FLAGS) setFlagsFromString(flag);
setTimeout(returnMemory, 2000).unref();

try {
  await import('../dist/main.js');
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  process.stderr.write("The MCP server isn't built yet. Run npm run build first.\n");
  process.exitCode = 1;
}

/** Returns the memory that only the start needed, 3 MB, to the system. */
function returnMemory() {
  setFlagsFromString('--expose-gc');
  const collectGarbage = process.getBuiltinModule('node:vm').runInNewContext('gc');
  collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
