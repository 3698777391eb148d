import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atExit } from '../../../../scripts/process/atExit.ts';
import { freePort } from '../../../support/process/freePort.ts';
import { managedProcess, type ManagedProcess } from '../../../support/process/managedProcess.ts';

const run = promisify(execFile);

/** Debian installs PostgreSQL's server programs outside of PATH. */
const POSTGRESQL = '/usr/lib/postgresql';
/** System user and superuser of the database. The server refuses to run as root. */
const USER = 'postgres';

/** Path of a program from Debian's packages, if it is installed. */
export function findDebianProgram(name: string): string | undefined {
  const versions = existsSync(POSTGRESQL) ? readdirSync(POSTGRESQL) : [];
  const folders = versions.map((version) => join(POSTGRESQL, version, 'bin')).reverse();
  return [...folders, ...(process.env['PATH'] ?? '').split(':')]
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

/** Starts Redis on a free port, with its own data. @throws Error when it isn't installed */
export async function startRedis() {
  const folder = dataFolder('redis');
  const port = await freePort();
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder.path, '--save', ''];
  const redis = managedProcess({
    name: 'Redis',
    command: program('redis-server'),
    args: settings,
    isReady: () => succeeds(program('redis-cli'), ['-p', String(port), 'ping']),
  });
  return started(redis, port, folder.remove);
}

/** Starts PostgreSQL on a free port, with its own data. @throws Error when it isn't installed */
export async function startPostgres() {
  const folder = dataFolder('postgres');
  const asUser = await asPostgresUser(folder.path);
  const port = await freePort();
  const [initdb, ...initdbArgs] = asUser(program('initdb'), '-D', folder.path, '-U', USER, '-A', 'trust');
  await run(initdb!, initdbArgs, { cwd: folder.path });
  const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='];
  const [command, ...args] = asUser(program('postgres'), '-D', folder.path, '-p', String(port), ...settings);
  const client = ['-h', '127.0.0.1', '-p', String(port), '-U', USER];
  const isReady = () => succeeds('pg_isready', client);
  const postgres = managedProcess({ name: 'PostgreSQL', command: command!, args, isReady });
  return {
    ...(await started(postgres, port, folder.remove)),
    /** Environment variables of n8n for its database. */
    env: {
      DB_TYPE: 'postgresdb',
      DB_POSTGRESDB_HOST: '127.0.0.1',
      DB_POSTGRESDB_PORT: String(port),
      DB_POSTGRESDB_USER: USER,
      DB_POSTGRESDB_DATABASE: USER,
    },
    /** Runs a query. Returns its rows, each a list of strings. */
    async query(sql: string) {
      const { stdout } = await run('psql', [...client, '-d', USER, '-At', '-F', '\t', '-c', sql]);
      const lines = stdout.split('\n').filter((line) => line !== '');
      return lines.map((line) => line.split('\t'));
    },
  };
}

/** A running server, which ends when this process exits. `remove` stops it and removes its data. */
async function started(server: ManagedProcess, port: number, removeData: () => void) {
  await server.start();
  return {
    port,
    log: () => server.log(),
    async remove() {
      await server.stop();
      removeData();
    },
  };
}

function dataFolder(name: string): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), `qr-service-${name}-`));
  const remove = () => rmSync(path, { recursive: true, force: true });
  atExit(remove);
  return { path, remove };
}

function program(name: string): string {
  const found = findDebianProgram(name);
  if (found === undefined) throw new Error(`${name} isn't installed.`);
  return found;
}

const succeeds = (command: string, args: string[]) =>
  run(command, args).then(
    () => true,
    () => false,
  );

/** Makes the postgres user the owner of the folder. Returns a function that makes a command run as that user. */
async function asPostgresUser(folder: string): Promise<(...command: string[]) => string[]> {
  if (process.getuid?.() !== 0) return (...command) => command;
  const ids = await Promise.all(['-u', '-g'].map(async (which) => (await run('id', [which, USER])).stdout));
  const [uid, gid] = ids.map(Number);
  chownSync(folder, uid!, gid!);
  return (...command) => ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', ...command];
}
