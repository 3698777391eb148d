import type { Database } from './database.ts';

/** A copy of everything in the database. */
export interface TableCopy {
  /** Restores everything from the copy. */
  restore(): void;
  /** Deletes the copy. */
  drop(): void;
}

/**
 * Copies all tables into temporary ones. SQLite keeps them where the database is, in memory or on disk, and drops them
 * when it is closed.
 */
export function tableCopier({ sqlite, transaction }: Database): () => TableCopy {
  const tables = sqlite
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'sqlite_sequence' ORDER BY rowid",
    )
    .all()
    .map(({ name }) => name as string);
  // The row counters are restored last, because every restored row changes them.
  tables.push('sqlite_sequence');
  let copies = 0;

  return () => {
    const copy = `copy_${++copies}`;
    const named = (table: string) => `temp.${copy}_${table}`;
    const run = (statements: string[]) =>
      transaction(() => {
        for (const statement of statements) sqlite.exec(statement);
      });
    run(tables.map((table) => `CREATE TEMP TABLE ${copy}_${table} AS SELECT * FROM main.${table}`));
    return {
      restore: () =>
        run([
          // From the last table to the first, so that no row refers to a deleted one.
          ...tables.toReversed().map((table) => `DELETE FROM main.${table}`),
          ...tables.map((table) => `INSERT INTO main.${table} SELECT * FROM ${named(table)} ORDER BY rowid`),
        ]),
      drop: () => run(tables.map((table) => `DROP TABLE ${named(table)}`)),
    };
  };
}
