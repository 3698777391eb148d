import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Debian keeps the programs of PostgreSQL's server out of the path. */
const POSTGRESQL = '/usr/lib/postgresql';

/** Path of a program from Debian's packages. @throws Error with what to install where it is not there */
export function debianProgram(name: string): string {
  const found = folders()
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new Error(
    `${name} is not on this machine. On Debian: apt-get install --no-install-recommends redis-server postgresql`,
  );
}

function folders(): string[] {
  const versions = existsSync(POSTGRESQL) ? readdirSync(POSTGRESQL) : [];
  return [
    ...versions.map((version) => join(POSTGRESQL, version, 'bin')).reverse(),
    ...(process.env['PATH'] ?? '').split(':'),
  ];
}
