import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DemoError } from './sheet.ts';

/** Printed by `npm start -- --help`. */
export const HELP = `Creates QR codes from the rows of a sheet, and rows from signed events and scans. Everything runs on this
machine: n8n's and Zapier's own engines, against an emulator of the service.

Usage: npm start -- [options]

  --rows <file>   CSV file with the columns name and targetUrl; others are kept. Default: 24 sample rows.
  --out <folder>  Output folder. Default: out.
  --keep          Leave the emulator open when done, also without a terminal; --no-keep closes it in one.
  --help          Print this help.`;

const OPTIONS = {
  rows: { type: 'string', default: fileURLToPath(new URL('sample-rows.csv', import.meta.url)) },
  out: { type: 'string', default: 'out' },
  keep: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/**
 * Parses the command line.
 * @param keep whether to stay open without the option
 * @throws DemoError for an unknown or an empty option
 */
export function parseArguments(args: string[], keep: boolean) {
  try {
    const { values } = parseArgs({ args, options: OPTIONS, allowNegative: true });
    const empty = Object.entries(values).find(([, value]) => value === '');
    if (empty !== undefined) throw new Error(`--${empty[0]} must not be empty`);
    return { keep, ...values };
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('.');
    throw new DemoError(`${reason}. To list the options, run npm start -- --help.`);
  }
}
