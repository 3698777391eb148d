import { lstat, open, readFile, realpath, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isQrServiceError, QrServiceError } from '@qr-service/core';

/** Files with the same name that are kept. */
const MAX_VERSIONS = 100;

/** A file that was written. */
interface WrittenFile {
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
   * @param stem a name without path separators
   * @throws QrServiceError `not_written` if that isn't possible
   */
  async write(stem: string, extension: string, content: Uint8Array): Promise<WrittenFile> {
    try {
      if ((await realpath(this.path)) !== this.path) throw notWritten('it was replaced by a link');
      for (let version = 1; version <= MAX_VERSIONS; version++) {
        const path = join(this.path, `${stem}${version === 1 ? '' : `-${version}`}.${extension}`);
        if (await create(path, content)) return { path, existed: false };
        if (await hasContent(path, content)) return { path, existed: true };
      }
    } catch (error) {
      throw isQrServiceError(error) ? error : notWritten(String((error as NodeJS.ErrnoException).code));
    }
    throw notWritten(`it has ${MAX_VERSIONS} files with this name`);
  }
}

function notWritten(reason: string): QrServiceError {
  return new QrServiceError(`The image couldn't be written to the folder of --out: ${reason}.`, {
    code: 'not_written',
    detail: 'Ask the user to check the folder, or read the image from its resource.',
  });
}

/** Creates a file; false if there is anything with its name, a link included. */
async function create(path: string, content: Uint8Array): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    try {
      await file.writeFile(content);
    } catch (error) {
      // On a full disk, part of an image would be left under its name.
      await unlink(path);
      throw error;
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
