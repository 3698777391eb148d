import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { DemoError } from './DemoError.ts';

/** A row of the sheet. */
export interface Row {
  /** Line of the file that the row starts on; the header is line 1. */
  line: number;
  name: string;
  targetUrl: string;
  /** All cells, by column name. */
  columns: Record<string, string>;
}

/** A row that can't be turned into a code. */
export interface RowProblem {
  line: number;
  problem: string;
}

/** A parsed sheet. */
export interface Sheet {
  rows: Row[];
  problems: RowProblem[];
}

interface ParsedRecord {
  record: string[];
  info: { lines: number };
}

/**
 * Reads a CSV file with the columns `name` and `targetUrl`, and keeps any others. Invalid rows are reported
 * by line number.
 * @throws DemoError when the file can't be read or lacks a column
 */
export function readRows(file: string): Sheet {
  const [header, ...records] = parseCsv(file);
  if (header === undefined)
    throw new DemoError(`${file} is empty. The first line must list the columns: name,targetUrl.`);
  const names = header.record;
  for (const needed of ['name', 'targetUrl'])
    if (!names.includes(needed))
      throw new DemoError(
        `${file} has no column ${needed}. The first line contains: ${names.join(', ')}.${separatorHint(names)}`,
      );

  const sheet: Sheet = { rows: [], problems: [] };
  let end = header.info.lines;
  for (const { record, info } of records) {
    const line = end + 1;
    end = info.lines;
    // Spreadsheets export blank lines, with or without commas.
    if (record.every((cell) => cell === '')) continue;
    const columns = Object.fromEntries(names.map((name, index) => [name, record[index] ?? '']));
    const { name = '', targetUrl = '' } = columns;
    const problem = findProblem(name, targetUrl, record.length, names.length);
    if (problem === undefined) sheet.rows.push({ line, name, targetUrl, columns });
    else sheet.problems.push({ line, problem });
  }
  return sheet;
}

/** Spreadsheets separate columns with semicolons where the comma is the decimal mark. */
function separatorHint(names: readonly string[]): string {
  return names.length === 1 && /[;\t]/.test(names[0] ?? '') ? ' Separate the columns with commas.' : '';
}

function parseCsv(file: string): ParsedRecord[] {
  try {
    return parse(readFileSync(file), {
      bom: true,
      trim: true,
      info: true,
      relax_column_count: true,
    }) as unknown as ParsedRecord[];
  } catch (error) {
    const { code, lines } = error as { code?: string; lines?: number };
    if (code === 'ENOENT') throw new DemoError(`File not found: ${file}.`);
    if (lines !== undefined)
      throw new DemoError(
        `${file} isn't valid CSV near line ${lines}: ${(error as Error).message.split(',')[0] ?? ''}.`,
      );
    throw new DemoError(`${file} can't be read (${code ?? 'unknown reason'}).`);
  }
}

function findProblem(name: string, targetUrl: string, cells: number, columns: number): string | undefined {
  if (cells > columns)
    return `${cells} cells for ${columns} columns; put quotes around cells that contain a comma`;
  if (name === '') return 'name is empty';
  if (targetUrl === '') return 'targetUrl is empty';
  if (!URL.canParse(targetUrl) || !/^https?:$/.test(new URL(targetUrl).protocol))
    return `targetUrl "${targetUrl}" isn't a valid web address; start it with https://`;
  return undefined;
}
