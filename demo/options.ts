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
export const HELP = `npm start [-- options]: rows become printable QR codes, signed events become rows.

  --rows FILE   CSV file with the columns name and targetUrl; others are kept (default: a sample of 24 rows)
  --db FILE     keep the emulator's data in this SQLite file (default: start empty each time)
  --port N      port of the emulator; if it is busy, the next free one (default: 4010)
  --out FOLDER  output folder (default: out)
  --help        show this help`;

/**
 * Parses the command line. Returns undefined for `--help`.
 * @throws DemoError for an unknown option or an invalid value
 */
export function parseArguments(args: string[], sampleRows: string): DemoOptions | undefined {
  const { rows, db, port, out, help } = parseFlags(args);
  if (help === true) return undefined;
  if (port !== undefined && !/^\d{1,5}$/.test(port))
    throw new DemoError(`--port ${port} isn't a valid port number.`);
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
      `${(error as Error).message.split('.')[0] ?? ''}. npm start -- --help shows the options.`,
    );
  }
}
