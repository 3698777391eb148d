import { parseArgs } from 'node:util';
import { DemoError } from './DemoError.ts';

/** How the demo is started. */
export interface DemoOptions {
  /** CSV file with the records. */
  rows: string;
  /** SQLite file that the emulator keeps its data in; without it, each run begins anew. */
  db: string | undefined;
  /** First port to try for the emulator. */
  port: number;
  /** Folder that everything is written to. */
  out: string;
}

/** Said by `npm start -- --help`. */
export const HELP = `npm start [-- options]: rows become printable QR codes, signed events become rows.

  --rows FILE   CSV file with the columns name and targetUrl; others are kept (default: a sample of 24 rows)
  --db FILE     keep the emulator's data in this SQLite file (default: begin anew each time)
  --port N      port of the emulator; if it is busy, the next free one (default: 4010)
  --out FOLDER  where to write (default: out)
  --help        this text`;

/**
 * Reads the command line; undefined asks for the help.
 * @throws DemoError for an option that does not exist or a value that can't be used
 */
export function parseArguments(args: string[], sampleRows: string): DemoOptions | undefined {
  const { rows, db, port, out, help } = parseFlags(args);
  if (help === true) return undefined;
  if (port !== undefined && !/^\d{1,5}$/.test(port)) throw new DemoError(`--port ${port} is no port number.`);
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
