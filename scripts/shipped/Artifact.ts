import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** An unpacked artifact. */
export interface Artifact {
  /** Display name. */
  name: string;
  files: ShippedFile[];
}

/** A file of an artifact. */
export interface ShippedFile {
  /** Relative to the artifact, with slashes. */
  path: string;
  content: Buffer;
}

/** Reads an unpacked artifact. */
export function readArtifact(name: string, folder: string): Artifact {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => ({
      path: path.relative(folder, file).split(path.sep).join('/'),
      content: readFileSync(file),
    }));
  return { name, files: files.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}
