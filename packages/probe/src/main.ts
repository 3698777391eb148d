/** The command line: connects the command to its process. */
import process from 'node:process';
import packageJson from '../package.json' with { type: 'json' };
import { runCommand } from './command.ts';
import { Ledger, leftText } from './http/Ledger.ts';
import { EXIT } from './report/Report.ts';

// A reader that stops reading, like `head`, must not end the run: what was created is still removed.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const ledger = new Ledger();
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (stop.signal.aborted) {
      for (const left of ledger.left) process.stderr.write(`${leftText(left)}\n`);
      process.exit(EXIT.stopped);
    }
    stop.abort();
    process.stderr.write('\nStopping, and removing what was created. Press Ctrl-C again to stop at once.\n');
  });

process.exitCode = await runCommand({
  args: process.argv.slice(2),
  environment: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  version: packageJson.version,
  stopped: stop.signal,
  ledger,
});
// Connections that are kept alive must not keep the process alive. Waits until the report is written.
process.stdout.write('', () => process.exit());
