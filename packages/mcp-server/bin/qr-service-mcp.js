#!/usr/bin/env node
// Exists before the build, so that npm can link the command when it installs a fresh clone.
const { process } = globalThis;

if (process.getBuiltinModule === undefined) {
  const { node } = process.versions;
  process.stderr.write(`qr-service-mcp: Node.js ${node} is too old. Install 20.18.1 or newer.\n`);
  process.exit(2);
}

await import('../dist/main.js').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  process.stderr.write("The MCP server isn't built yet. Run npm run build first.\n");
  process.exitCode = 1;
});
