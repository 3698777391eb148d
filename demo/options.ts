import { parseArgs } from 'node:util';
import { DemoError } from './DemoError.ts';

/** Command-line options of the demo. */
export interface DemoOptions {
  /** CSV file with the rows. */
  rows: string;
  /** Output folder. */
  out: string;
}

/** Printed by `npm start -- --help`. */
export const HELP = `Creates QR codes from the rows of a sheet, and rows from signed events and scans. Everything runs on this
machine: n8n's and Zapier's own engines, against an emulator of the service.

Usage: npm start -- [options]

  --rows <file>   CSV file with the columns name and targetUrl; others are kept. Default: 24 sample rows.
  --out <folder>  Output folder. Default: out.
  --help          Print this help.`;

/**
 * Parses the command line. Returns undefined for `--help`.
 * @throws DemoError for an unknown or an empty option
 */
export function parseArguments(args: string[], sampleRows: string): DemoOptions | undefined {
  const flags = parseFlags(args);
  const empty = Object.entries(flags).find(([, value]) => value === '');
  if (empty !== undefined) throw new DemoError(`--${empty[0]} must not be empty.`);
  const { rows, out, help } = flags;
  if (help === true) return undefined;
  return { rows: rows ?? sampleRows, out: out ?? 'out' };
}

function parseFlags(args: string[]) {
  try {
    const options = {
      rows: { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    } as const;
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new DemoError(
      `${(error as Error).message.split('.')[0] ?? ''}. To list the options, run npm start -- --help.`,
    );
  }
}
