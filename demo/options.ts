import { parseArgs } from 'node:util';
import { DemoError } from './DemoError.ts';

/** Command-line options of the demo. */
export interface DemoOptions {
  /** CSV file with the rows. */
  rows: string;
  /** SQLite file for the emulator's data. Without it, each run starts empty. */
  db: string | undefined;
  /** First port to try for the emulator. */
  port: number;
  /** Output folder. */
  out: string;
}

/** Printed by `npm start -- --help`. */
export const HELP = `Creates QR codes from the rows of a sheet, and rows from signed events and scans. Everything runs on this
machine: n8n's and Zapier's own engines, against an emulator of the service.

Usage: npm start -- [options]

  --rows <file>   CSV file with the columns name and targetUrl; others are kept. Default: 24 sample rows.
  --db <file>     Keep the emulator's data in this SQLite file. Default: start empty each time.
  --port <number> Port of the emulator, or the next free port. Default: 4010.
  --out <folder>  Output folder. Default: out.
  --help          Print this help.`;

/**
 * Parses the command line. Returns undefined for `--help`.
 * @throws DemoError for an unknown option or an invalid value
 */
export function parseArguments(args: string[], sampleRows: string): DemoOptions | undefined {
  const flags = parseFlags(args);
  const empty = Object.entries(flags).find(([, value]) => value === '');
  if (empty !== undefined) throw new DemoError(`--${empty[0]} must not be empty.`);
  const { rows, db, port, out, help } = flags;
  if (help === true) return undefined;
  if (port !== undefined && !(/^\d+$/.test(port) && Number(port) <= 65535))
    throw new DemoError(`--port must be a number from 0 to 65535, not ${port}.`);
  return { rows: rows ?? sampleRows, db, port: Number(port ?? 4010), out: out ?? 'out' };
}

function parseFlags(args: string[]) {
  const text = { type: 'string' } as const;
  try {
    const options = {
      rows: text,
      db: text,
      port: text,
      out: text,
      help: { type: 'boolean', short: 'h' },
    } as const;
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new DemoError(
      `${(error as Error).message.split('.')[0] ?? ''}. To list the options, run npm start -- --help.`,
    );
  }
}
