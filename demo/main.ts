import { fileURLToPath } from 'node:url';
import { EmulatorProcessError } from '../engines/emulator/process.ts';
import { DemoError } from './DemoError.ts';
import { HELP, parseArguments, type DemoOptions } from './options.ts';
import { runDemo } from './runDemo.ts';

const SAMPLE_ROWS = fileURLToPath(new URL('sample-rows.csv', import.meta.url));

process.on('SIGINT', () => exitWith(130, 'Stopped. Nothing is left running.'));
process.on('SIGTERM', () => exitWith(143));
process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const options = parseArguments(process.argv.slice(2), SAMPLE_ROWS);
    if (options === undefined) console.log(HELP);
    else await start(options);
    return 0;
  } catch (error) {
    if (!(error instanceof DemoError || error instanceof EmulatorProcessError)) throw error;
    // Exit at once: the engines' pending requests would only fail one by one.
    return exitWith(1, error.message);
  }
}

async function start(options: DemoOptions): Promise<void> {
  const startedAt = Date.now();
  await runDemo(options);
  console.log(`\n  Done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s.\n`);
}

/** The emulator's process ends with this one. */
function exitWith(code: number, message?: string): never {
  if (message !== undefined) console.error(`\n${message}`);
  process.exit(code);
}
