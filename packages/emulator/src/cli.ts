#!/usr/bin/env node
// Static imports here must load on every Node: an older one should print what it needs, not fail at an import.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 13)) {
  console.error(`The emulator needs Node 22.13 or newer; this is Node ${process.versions.node}.`);
  process.exitCode = 1;
} else {
  silenceWarnings();
  // Keep working if the reader of the output stops reading, like `head`.
  process.stdout.on('error', () => undefined);
  const { main } = await import('./cli/main.ts');
  await main(process.argv.slice(2));
}

/** Node 22 warns that its SQLite module is experimental, which users can do nothing about. */
function silenceWarnings(): void {
  const emitWarning = process.emitWarning.bind(process) as (...args: unknown[]) => void;
  process.emitWarning = (...args: unknown[]) => {
    if (args[1] !== 'ExperimentalWarning') emitWarning(...args);
  };
}
