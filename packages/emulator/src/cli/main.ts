import { readFileSync } from 'node:fs';
import type { EmulatorOptions } from '../config/options.ts';
import { startEmulator, type Emulator } from '../emulator/startEmulator.ts';
import { PortInUseError } from '../http/PortInUseError.ts';
import { readArguments, type Command } from './arguments.ts';
import { banner } from './banner.ts';
import { HELP } from './help.ts';
import { DEFAULT_PORT } from './support/defaultPort.ts';

type StartCommand = Extract<Command, { kind: 'start' }>;

/** Number of ports to try, from the default on. */
const PORTS_TRIED = 50;

/** Runs the command `qr-service-emulator`. If it can't start, prints the reason on one line and exits with 1. */
export async function main(args: readonly string[]): Promise<void> {
  try {
    const command = readArguments(args, process.env);
    if (command.kind === 'help') process.stdout.write(HELP);
    else if (command.kind === 'version') process.stdout.write(`${readVersion()}\n`);
    else await run(command);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

async function run({ options, faults, deliveryFaults }: StartCommand): Promise<void> {
  const log = (line: string) =>
    void process.stdout.write(`${new Date().toISOString().slice(11, 23)}  ${line}\n`);
  const emulator = await startOnFreePort({ ...options, log });
  // Registered before the banner, because a process that waits for it may stop the command right away.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void emulator.stop());
  for (const preset of faults) emulator.control.failNext({ preset, times: Infinity });
  for (const kind of deliveryFaults) emulator.control.failDeliveries({ kind, times: Infinity });
  // npx runs the command without installing it.
  const command = `${process.env['npm_command'] === 'exec' ? 'npx ' : ''}qr-service-emulator`;
  process.stdout.write(`${banner(emulator, options.db, command)}\n`);
}

async function startOnFreePort(options: EmulatorOptions): Promise<Emulator> {
  if (options.port !== undefined) return startEmulator(options);
  for (let port = DEFAULT_PORT; port < DEFAULT_PORT + PORTS_TRIED; port++) {
    try {
      return await startEmulator({ ...options, port });
    } catch (error) {
      if (!(error instanceof PortInUseError)) throw error;
    }
  }
  return startEmulator(options);
}

function readVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
