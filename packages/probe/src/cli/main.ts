/** The command line: connects the command to its process. */
import process from 'node:process';
import packageJson from '../../package.json' with { type: 'json' };
import { EXIT } from './exitStatus.ts';
import { runCommand } from './runCommand.ts';

// A reader that stops reading, like `head`, must not end the run: what was created is still removed.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (stop.signal.aborted) process.exit(EXIT.stopped);
    stop.abort();
    process.stderr.write('\nStopping, and removing what was created. Press Ctrl-C again to stop at once.\n');
  });

const status = await runCommand({
  args: process.argv.slice(2),
  environment: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  version: packageJson.version,
  stopped: stop.signal,
});
process.exitCode = status;
// Connections that are kept alive must not keep the process alive. Waits until the report is written.
process.stdout.write('', () => process.exit());
