import { execFile } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atExit } from '../../../../scripts/process/atExit.ts';
import { freePort } from '../../../support/process/freePort.ts';
import { managedProcess } from '../../../support/process/managedProcess.ts';
import { debianProgram } from './debianProgram.ts';

const run = promisify(execFile);

/** System user and superuser of the database. The server refuses to run as root. */
const USER = 'postgres';

/** A PostgreSQL server on a free port. It ends when this process exits. */
export interface Postgres {
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** Runs a query. Returns its rows, each a list of strings. */
  query(sql: string): Promise<string[][]>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

/** @throws Error when PostgreSQL isn't installed */
export async function startPostgres(): Promise<Postgres> {
  const server = debianProgram('postgres');
  const folder = mkdtempSync(join(tmpdir(), 'qr-service-postgres-'));
  const asUser = await asPostgresUser(folder);
  const port = await freePort();
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  const unregister = atExit(removeFolder);
  const [initdb, ...initdbArgs] = asUser(debianProgram('initdb'), '-D', folder, '-U', USER, '-A', 'trust');
  await run(initdb!, initdbArgs, { cwd: folder });
  const [command, ...args] = asUser(
    ...[server, '-D', folder, '-p', String(port)],
    ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
  );
  const client = ['-h', '127.0.0.1', '-p', String(port), '-U', USER];
  const postgres = managedProcess({
    name: 'PostgreSQL',
    command: command!,
    args,
    isReady: () =>
      run('pg_isready', client).then(
        () => true,
        () => false,
      ),
  });
  await postgres.start();
  return {
    port,
    user: USER,
    database: USER,
    async query(sql) {
      const { stdout } = await run('psql', [...client, '-d', USER, '-At', '-F', '\t', '-c', sql]);
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.split('\t'));
    },
    async remove() {
      await postgres.stop();
      unregister();
      removeFolder();
    },
  };
}

/** Makes the postgres user the owner of the folder. Returns a function that makes a command run as that user. */
async function asPostgresUser(folder: string): Promise<(...command: string[]) => string[]> {
  if (process.getuid?.() !== 0) return (...command) => command;
  const ids = await Promise.all(['-u', '-g'].map(async (which) => (await run('id', [which, USER])).stdout));
  const [uid, gid] = ids.map(Number);
  chownSync(folder, uid!, gid!);
  return (...command) => ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', ...command];
}
