import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** An unpacked artefact. */
export interface Artefact {
  /** Display name. */
  name: string;
  files: ShippedFile[];
}

/** A file of an artefact. */
export interface ShippedFile {
  /** Relative to the artefact, with slashes. */
  path: string;
  content: Buffer;
}

/** Reads an unpacked artefact. */
export function readArtefact(name: string, folder: string): Artefact {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => ({
      path: path.relative(folder, file).split(path.sep).join('/'),
      content: readFileSync(file),
    }));
  return { name, files: files.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}
