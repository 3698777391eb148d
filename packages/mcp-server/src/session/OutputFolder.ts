import { lstat, open, readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Files with the same name that are kept. */
const MAX_VERSIONS = 100;

/** A file that was written. */
export interface WrittenFile {
  /** Absolute. */
  path: string;
  /** Whether a file with the same content was there already. */
  existed: boolean;
}

/** The one folder that images may be written to. */
export class OutputFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** @throws Error if it isn't a folder */
  static async open(path: string): Promise<OutputFolder> {
    const resolved = await realpath(path);
    if (!(await stat(resolved)).isDirectory()) throw new Error('Not a folder.');
    return new OutputFolder(resolved);
  }

  /**
   * Writes a file, and never over another one: if the name is taken by a different file, a number is added. Doesn't
   * follow links.
   * @param stem a name without path separators, see `readFileStem`
   */
  async write(stem: string, extension: string, content: Uint8Array): Promise<WrittenFile> {
    if ((await realpath(this.path)) !== this.path) throw new Error('The folder was replaced by a link.');
    for (let version = 1; version <= MAX_VERSIONS; version++) {
      const path = join(this.path, `${stem}${version === 1 ? '' : `-${version}`}.${extension}`);
      if (await create(path, content)) return { path, existed: false };
      if (await hasContent(path, content)) return { path, existed: true };
    }
    throw new Error(`There are ${MAX_VERSIONS} files with this name.`);
  }
}

/** Creates a file; false if there is anything with its name, a link included. */
async function create(path: string, content: Uint8Array): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    try {
      await file.writeFile(content);
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function hasContent(path: string, content: Uint8Array): Promise<boolean> {
  try {
    // Not what a link leads to, and not a pipe, which could block.
    const { size } = await lstat(path).then((entry) => (entry.isFile() ? entry : { size: undefined }));
    return size === content.length && (await readFile(path)).equals(content);
  } catch {
    return false;
  }
}
