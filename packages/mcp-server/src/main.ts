/** The command line: reads its arguments and environment, then serves until stopped. */
import process from 'node:process';
import packageJson from '../package.json' with { type: 'json' };
import { createClient } from './client/createClient.ts';
import { HELP, readArguments, type ServeOptions } from './config/readArguments.ts';
import { readSettings } from './config/readSettings.ts';
import { UsageError } from './config/UsageError.ts';
import { createServerFactory } from './server/createServerFactory.ts';
import { OutputFolder } from './session/OutputFolder.ts';

/** Standard output belongs to the protocol. */
function log(message: string): void {
  process.stderr.write(`${packageJson.name}: ${message}\n`);
}

async function serve(options: ServeOptions): Promise<void> {
  const { readOnly, outFolder: folder, httpPort } = options;
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  const connection = readSettings(process.env, options);
  const client = createClient(connection, `${packageJson.name}/${packageJson.version}`);
  const outFolder = folder === undefined ? undefined : await openFolder(folder);
  const createServer = createServerFactory({ client, readOnly, outFolder });
  if (httpPort === undefined) {
    const { serveOverStdio } = await import('./transports/stdio.ts');
    await serveOverStdio(createServer, { log, stopped: stop.signal });
  } else {
    const { serveOverHttp } = await import('./transports/http.ts');
    await serveOverHttp(createServer, { port: httpPort, log, stopped: stop.signal });
  }
}

async function openFolder(path: string): Promise<OutputFolder> {
  try {
    return await OutputFolder.open(path);
  } catch {
    throw new UsageError("The folder of --out can't be created or opened.");
  }
}

// A client that doesn't read the log must not end the process.
process.stderr.on('error', () => undefined);

try {
  const command = readArguments(process.argv.slice(2));
  if (command.kind === 'help') process.stdout.write(HELP);
  else if (command.kind === 'version') process.stdout.write(`${packageJson.version}\n`);
  else await serve(command.options);
  // Requests that a stopped session left behind must not keep the process alive.
  process.exit();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  log(error.message);
  process.exit(2);
}
