#!/usr/bin/env node
// Exists before the build, so that npm can link the command when it installs a fresh clone.
const { process, setInterval } = globalThis;

if (process.getBuiltinModule === undefined) {
  process.stderr.write(
    `qr-service-mcp: Node.js ${process.versions.node} is too old. Install 20.18.1 or newer.\n`,
  );
  process.exit(2);
}

// These keep the process within 60 MB: a young generation that stays small, and no compilers, as the server mostly waits
// for the network. They only affect code that is loaded after them.
const FLAGS = ['--semi-space-growth-factor=1', '--no-sparkplug', '--no-maglev', '--no-opt'];
const { getHeapStatistics, setFlagsFromString } = process.getBuiltinModule('node:v8');
for (const flag of FLAGS) setFlagsFromString(flag);

/** Used memory that a collection is worth, in bytes. */
const GROWTH = 100_000;
setInterval(returnMemory, 2000).unref();
let usedBefore = -GROWTH;
let collectGarbage;

try {
  await import('../dist/main.js');
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  process.stderr.write("The MCP server isn't built yet. Run npm run build first.\n");
  process.exitCode = 1;
}

/** Returns memory that the start or a call no longer needs to the system: V8 wouldn't, as it sees no pressure. */
function returnMemory() {
  if (getHeapStatistics().used_heap_size < usedBefore + GROWTH) return;
  setFlagsFromString('--expose-gc');
  collectGarbage ??= process.getBuiltinModule('node:vm').runInNewContext('gc');
  collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  usedBefore = getHeapStatistics().used_heap_size;
}
