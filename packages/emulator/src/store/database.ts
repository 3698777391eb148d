import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createIds, type Ids } from './ids.ts';
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from './schema.ts';

/** A database file can't be used. The message says which and why. The file stays unchanged. */
export class DatabaseFileError extends Error {
  override readonly name = 'DatabaseFileError';
}

/** An open database. */
export interface Database {
  readonly sqlite: DatabaseSync;
  readonly ids: Ids;
  /** Runs `work` in one transaction and rolls back if it throws. Joins a transaction that is already open. */
  transaction: <T>(work: () => T) => T;
  close: () => void;
}

/**
 * Opens the emulator's database, or creates one if the file is missing or empty.
 * @param idSeed makes the ids reproducible
 * @throws DatabaseFileError when the file is damaged, in use, not writable or belongs to another program
 */
export function openDatabase(file: string, idSeed: string | undefined): Database {
  const sqlite = open(file);
  const begin = sqlite.prepare('BEGIN IMMEDIATE');
  const commit = sqlite.prepare('COMMIT');
  return {
    sqlite,
    ids: createIds(idSeed, countStart(sqlite)),
    transaction(work) {
      if (sqlite.isTransaction) return work();
      begin.run();
      try {
        const result = work();
        commit.run();
        return result;
      } catch (error) {
        rollback(sqlite);
        throw error;
      }
    },
    close: () => sqlite.close(),
  };
}

function open(file: string): DatabaseSync {
  if (file !== ':memory:' && !existsSync(dirname(resolve(file))))
    throw new DatabaseFileError(`The database file ${file} can't be created: its folder doesn't exist.`);
  let sqlite: DatabaseSync | undefined;
  try {
    sqlite = new DatabaseSync(file);
    prepare(sqlite, file);
    return sqlite;
  } catch (error) {
    sqlite?.close();
    if (error instanceof DatabaseFileError) throw error;
    throw new DatabaseFileError(`The database file ${file} ${reason(error)}.`, { cause: error });
  }
}

/** Checks the file before writing anything, so that another program's file stays unchanged. */
function prepare(sqlite: DatabaseSync, file: string): void {
  const owner = pragma(sqlite, 'application_id');
  const version = pragma(sqlite, 'user_version');
  const tables = sqlite.prepare('SELECT count(*) AS count FROM sqlite_master').get()?.['count'];
  const fresh = tables === 0 && owner === 0 && version === 0;
  if (!fresh && owner !== APPLICATION_ID)
    throw new DatabaseFileError(`The database file ${file} belongs to another program; choose another file.`);
  if (!fresh && version !== SCHEMA_VERSION)
    throw new DatabaseFileError(
      `The database file ${file} was created by another version of the emulator; choose another file.`,
    );
  // One emulator per file, because two would both send the pending deliveries.
  sqlite.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  // Copies of the tables are stored where the tables are.
  if (file === ':memory:') sqlite.exec('PRAGMA temp_store = MEMORY');
  sqlite.exec(
    fresh
      ? `BEGIN IMMEDIATE; ${SCHEMA} PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`
      : 'BEGIN IMMEDIATE; COMMIT',
  );
}

/** Counts this start and returns the number of starts of this database so far. */
function countStart(sqlite: DatabaseSync): number {
  return sqlite.prepare('UPDATE starts SET count = count + 1 RETURNING count').get()?.['count'] as number;
}

/** A statement that fails because the disk is full has already rolled back. */
function rollback(sqlite: DatabaseSync): void {
  if (sqlite.isTransaction) sqlite.exec('ROLLBACK');
}

function pragma(sqlite: DatabaseSync, name: string): unknown {
  return sqlite.prepare(`PRAGMA ${name}`).get()?.[name];
}

/** SQLite's primary result codes, from its documentation. */
const REASONS: Record<number, string> = {
  5: 'is in use by another emulator; stop that one or choose another file',
  8: 'is read-only; make it writable or choose another file',
  11: 'is damaged; choose another file, or delete it to start over',
  13: "can't be written: the disk is full",
  14: "can't be opened; check the path and its permissions",
  26: "isn't a SQLite database; choose another file",
};

function reason(error: unknown): string {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  const known = typeof code === 'number' ? REASONS[code & 0xff] : undefined;
  return known ?? `can't be used: ${error instanceof Error ? error.message : String(error)}`;
}
