import type { Database } from './database.ts';

type Value = string | number | null;

/** Everything in the database: the columns and rows of each table. */
export type Dump = Record<string, { columns: string[]; rows: Value[][] }>;

/** A dump doesn't fit the tables. */
export class DumpError extends Error {
  override readonly name = 'DumpError';
}

/** Reads and replaces everything in the database, as plain values. */
export function dumper({ sqlite, transaction }: Database) {
  const tables = sqlite
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'sqlite_sequence' ORDER BY rowid",
    )
    .all()
    .map(({ name }) => name as string);
  // The row counters are written last, because every inserted row changes them.
  tables.push('sqlite_sequence');
  const columnsOf = (table: string) =>
    sqlite
      .prepare(`PRAGMA table_info(${table})`)
      .all()
      .map(({ name }) => name as string);

  function insert(table: string, rows: readonly Value[][]): void {
    const places = columnsOf(table).map(() => '?');
    const statement = sqlite.prepare(`INSERT INTO ${table} VALUES (${places.join()})`);
    for (const row of rows) statement.run(...row);
  }

  return {
    read: (): Dump =>
      transaction(() =>
        Object.fromEntries(
          tables.map((table) => {
            const columns = columnsOf(table);
            const rows = sqlite.prepare(`SELECT * FROM ${table}${order(table)}`).all();
            return [
              table,
              { columns, rows: rows.map((row) => columns.map((column) => row[column] as Value)) },
            ];
          }),
        ),
      ),
    /**
     * Replaces everything, or nothing if it throws.
     * @throws DumpError when tables, columns or values aren't those of this database
     */
    write: (dump: Dump): void =>
      transaction(() => {
        const isKnown = (table: string) => String(dump[table]?.columns) === String(columnsOf(table));
        if (Object.keys(dump).length !== tables.length || !tables.every(isKnown))
          throw new DumpError("its tables aren't those of this version");
        try {
          // From the last table to the first, so that no row refers to a deleted one.
          for (const table of tables.toReversed()) sqlite.exec(`DELETE FROM ${table}`);
          for (const table of tables) insert(table, dump[table]?.rows ?? []);
        } catch (error) {
          throw new DumpError(`a row can't be stored (${(error as Error).message})`, { cause: error });
        }
      }),
  };

  function order(table: string): string {
    const sql = sqlite.prepare('SELECT sql FROM sqlite_master WHERE name = ?').get(table)?.['sql'];
    return String(sql).includes('WITHOUT ROWID') ? '' : ' ORDER BY rowid';
  }
}
