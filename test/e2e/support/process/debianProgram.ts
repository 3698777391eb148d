import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Debian installs PostgreSQL's server programs outside of PATH. */
const POSTGRESQL = '/usr/lib/postgresql';

/** Path of a program from Debian's packages, if it is installed. */
export function findDebianProgram(name: string): string | undefined {
  return folders()
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

/** Path of a program from Debian's packages. @throws Error when it isn't installed */
export function debianProgram(name: string): string {
  const found = findDebianProgram(name);
  if (found === undefined) throw new Error(`${name} isn't installed.`);
  return found;
}

function folders(): string[] {
  const versions = existsSync(POSTGRESQL) ? readdirSync(POSTGRESQL) : [];
  return [
    ...versions.map((version) => join(POSTGRESQL, version, 'bin')).reverse(),
    ...(process.env['PATH'] ?? '').split(':'),
  ];
}
