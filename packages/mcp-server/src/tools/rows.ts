import { Arguments } from '../schemas/Arguments.ts';

/** Rows of one call. */
export const MAX_ROWS = 100;

/** A row with its number, from 1, as it is sent, or why it can't be. */
export type Row<Fields> = { row: number } & (Fields | { error: unknown });

/** What a new code is created from. */
export interface NewCode {
  name: string;
  mode: string;
  contentType: string;
  content: { targetUrl: string };
}

/** A dynamic code for a web address. */
export function newCode({ name, targetUrl }: { name: string; targetUrl: string }): NewCode {
  return { name, mode: 'dynamic', contentType: 'url', content: { targetUrl } };
}

/** How a tool reads its rows. */
interface RowReader<Fields> {
  /** The required fields, for errors, for example `name and targetUrl`. */
  required: string;
  /** The values of arguments beside the rows: some models set them inside a row. */
  shared: Readonly<Record<string, boolean | string>>;
  /** Reads one row. Throws a ParameterError if it is invalid. */
  read: (row: Arguments) => Fields;
}

/** Reads the rows of a call. One that is invalid doesn't affect the others. */
export function readRows<Fields>(args: Arguments, reader: RowReader<Fields>): Row<Fields>[] {
  const rows = rowsIn(args, ['images', ...Object.keys(reader.shared)]);
  if (rows.length === 0 || rows.length > MAX_ROWS)
    args.invalid('rows', `an array of 1 to ${MAX_ROWS} objects`, 'Split longer lists into several calls.');
  return rows.map((fields, index) => readRow(args, fields, index + 1, reader));
}

/** Models send an array, its JSON text, one row alone, or that row's fields without `rows`. */
function rowsIn(args: Arguments, shared: readonly string[]): unknown[] {
  const rows = args.value('rows');
  const given = (typeof rows === 'string' ? parseJson(rows) : rows) ?? fieldsOfRow(args, shared);
  if (Array.isArray(given)) return given;
  return isRecord(given) ? [given] : args.invalid('rows', `an array of 1 to ${MAX_ROWS} objects`);
}

function fieldsOfRow(args: Arguments, shared: readonly string[]): unknown {
  if (args.value('targetUrl') === undefined) return undefined;
  return Object.fromEntries(Object.entries(args.all()).filter(([name]) => !shared.includes(name)));
}

function readRow<Fields>(
  call: Arguments,
  given: unknown,
  row: number,
  { required, shared, read }: RowReader<Fields>,
): Row<Fields> {
  const fields = typeof given === 'string' ? parseJson(given) : given;
  try {
    if (!isRecord(fields))
      return new Arguments({ [`row ${row}`]: given }).invalid(`row ${row}`, `an object with ${required}`);
    const args = new Arguments(fields, ` of row ${row}`);
    for (const [name, value] of Object.entries(shared))
      if (((typeof value === 'boolean' ? args.yesNo(name) : args.text(name)) ?? value) !== value)
        args.invalid(name, `the same for all rows: ${value}`, `Set ${name} beside rows, not inside one.`);
    const result = { row, ...read(args) };
    call.addUnread(args.unread.map((name) => `rows[].${name}`));
    return result;
  } catch (error) {
    return { row, error };
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value that a text is the JSON of; undefined if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
