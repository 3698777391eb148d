import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { CsvError, parse } from 'csv-parse/sync';

/** An expected failure that ends the demo. Only its message is shown, without a stack trace. */
export class DemoError extends Error {}

/** A row of the sheet. */
export interface Row {
  /** Line of the file; the header is line 1. */
  line: number;
  name: string;
  targetUrl: string;
  /** All cells, by column name. */
  columns: Record<string, string>;
}

/**
 * Reads a CSV file with the columns `name` and `targetUrl`, and keeps any others.
 * @throws DemoError when the file can't be read, lacks a column or has no rows
 */
export function readRows(file: string): Row[] {
  try {
    const records = parse<{ record: Record<string, string>; info: { lines: number } }>(
      decode(readFileSync(file)),
      {
        bom: true,
        trim: true,
        info: true,
        columns: checkColumns,
        relax_column_count_less: true,
        // Spreadsheets export blank lines, with or without commas.
        skip_records_with_empty_values: true,
      },
    );
    if (records.length === 0) throw new DemoError('has no rows. The first line must be: name,targetUrl.');
    return records.map(({ record, info }) => {
      const { name = '', targetUrl = '' } = record;
      return { line: info.lines, name, targetUrl, columns: record };
    });
  } catch (error) {
    throw new DemoError(`${file} ${describe(error)}`);
  }
}

/** Excel saves "CSV" as Windows-1252, and "Unicode Text" as UTF-16. */
function decode(bytes: Buffer): string {
  const other = bytes.subarray(0, 2).equals(Buffer.of(0xff, 0xfe)) ? 'utf-16le' : 'windows-1252';
  const text = new TextDecoder(isUtf8(bytes) ? 'utf-8' : other).decode(bytes);
  if (text.includes('\uFFFD')) throw new DemoError('has lost characters (�). Save it as CSV UTF-8.');
  return text;
}

function checkColumns(names: string[]): string[] {
  const missing = ['name', 'targetUrl'].find((name) => !names.includes(name));
  if (missing === undefined) return names;
  // Spreadsheets separate columns with semicolons where the comma is the decimal mark.
  const hint = names.length === 1 && /[;\t]/.test(names[0] ?? '') ? ' Separate the columns with commas.' : '';
  throw new DemoError(`has no column ${missing}. The first line contains: ${names.join(', ')}.${hint}`);
}

function describe(error: unknown): string {
  if (error instanceof DemoError) return error.message;
  const { code = 'unknown reason', lines = '?' } = error as { code?: string; lines?: number };
  if (code === 'ENOENT') return "doesn't exist. Check the path after --rows.";
  if (code === 'CSV_RECORD_INCONSISTENT_COLUMNS')
    return `has more cells than columns in line ${lines}. Put quotes around cells that contain a comma.`;
  if (error instanceof CsvError)
    return `isn't valid CSV near line ${lines}: ${error.message.replace(/:.*/s, '')}.`;
  return `can't be read (${code}).`;
}
