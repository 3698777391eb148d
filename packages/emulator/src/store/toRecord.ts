/** A row of a table. */
export type Row = Record<string, unknown>;

/** Names of columns in camel case. */
const NAMES = new Map<string, string>();

function nameOf(column: string): string {
  const known = NAMES.get(column);
  if (known !== undefined) return known;
  const name = column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  NAMES.set(column, name);
  return name;
}

/** A row as a record: its columns, named in camel case. */
export function toRecord(row: Row): unknown {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [nameOf(column), value]));
}
