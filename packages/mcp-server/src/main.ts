/** The command line: reads its arguments and environment, then serves until stopped. */
import process from 'node:process';
import packageJson from '../package.json' with { type: 'json' };
import { readArguments, readSettings, UsageError, type ServeOptions } from './config/config.ts';
import { readPage } from './page.ts';
import { createClient, createServerFactory } from './server/createServerFactory.ts';
import { openOutputFolder } from './session/outputFolder.ts';

/** Standard output belongs to the protocol. */
function log(message: string): void {
  process.stderr.write(`${packageJson.name}: ${message}\n`);
}

async function serve(options: ServeOptions): Promise<void> {
  const { readOnly = false, out, http } = options;
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  const client = createClient(readSettings(process.env, options));
  // Files are changes, too.
  const isWriting = out !== undefined && !readOnly;
  const outFolder = isWriting
    ? await openOutputFolder(out).catch(() => {
        throw new UsageError("The --out folder can't be created or opened.");
      })
    : undefined;
  const createServer = createServerFactory({ client, readOnly, outFolder }, readPage());
  if (http === undefined) {
    const { serveOverStdio } = await import('./transports/stdio.ts');
    await serveOverStdio(createServer, { log, stopped: stop.signal });
  } else {
    const { serveOverHttp } = await import('./transports/http.ts');
    await serveOverHttp(createServer, { port: http, log, stopped: stop.signal });
  }
}

// A client that doesn't read the log must not end the process.
process.stderr.on('error', () => undefined);

try {
  const options = readArguments(process.argv.slice(2));
  if (options !== undefined) await serve(options);
  // Requests that a stopped session left behind must not keep the process alive.
  process.exit();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  log(error.message);
  process.exit(2);
}
