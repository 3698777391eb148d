import { createHash } from 'node:crypto';
import { lstat, mkdir, open, readFile, realpath, unlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isQrServiceError, QrServiceError } from '@qr-service/core';

/** Files with the same name that are kept. */
const MAX_VERSIONS = 100;

/** Maximum length of a file's name without its number and extension: file systems allow 255 bytes, up to 3 for a unit. */
const MAX_STEM_LENGTH = 80;

/**
 * The name of a code's file, without its extension: its slug, or else its ID, without what means a folder or something
 * special on any system.
 */
export function fileStem({ id, slug }: { id: string; slug?: unknown }): string {
  const [stem = 'qr'] = [slug, id]
    .filter((text) => typeof text === 'string')
    .map((text) =>
      text
        .split(/[^\p{L}\p{M}\p{N}_-]+/u)
        .filter((part) => part !== '')
        .join('-'),
    )
    .map((text) => text.slice(0, MAX_STEM_LENGTH))
    .filter((text) => text !== '');
  return /^(?:con|prn|aux|nul|com\d|lpt\d)$/i.test(stem) ? `qr-${stem}` : stem;
}

/** What identifies a file's content, without keeping it. */
interface Content {
  hash: string;
  /** In bytes. */
  size: number;
}

/** The one folder that images may be written to. */
export class OutputFolder {
  readonly path: string;
  /** What this process wrote: which image each file shows, and its content. */
  readonly #written = new Map<string, Content & { image: string }>();

  private constructor(path: string) {
    this.path = path;
  }

  /**
   * Opens a folder, and creates it if it is missing.
   * @param path `~` or `~/` at its start means the user's home folder, as clients pass it on without a shell
   * @throws Error if that isn't possible
   */
  static async open(path: string): Promise<OutputFolder> {
    const folder = path.replace(/^~(?=[\\/]|$)/, homedir());
    await mkdir(folder, { recursive: true });
    return new OutputFolder(await realpath(folder));
  }

  /**
   * Writes a file, unless it is there already, and never over another one: if the name is taken by a different file, a
   * number is added. Only a file that this process wrote for the same image, and that is unchanged since, is replaced: a PDF
   * drawn again can differ. Doesn't follow links.
   * @param stem a name without path separators: see `fileStem`
   * @param image what the file shows
   * @returns its absolute path
   * @throws QrServiceError `not_written` if that isn't possible
   */
  async write(stem: string, extension: string, content: Uint8Array, image: string): Promise<string> {
    const wanted = { hash: hashOf(content), size: content.length };
    try {
      if ((await realpath(this.path)) !== this.path) throw notWritten('it was replaced by a link');
      for (let version = 1; version <= MAX_VERSIONS; version++) {
        const path = join(this.path, `${stem}${version === 1 ? '' : `-${version}`}.${extension}`);
        const own = this.#written.get(path);
        if (own?.image === image && own.hash !== wanted.hash && (await hasContent(path, own)))
          await unlink(path);
        if (!(await create(path, content)) && !(await hasContent(path, wanted))) continue;
        this.#written.set(path, { image, ...wanted });
        return path;
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
    detail: 'Ask the user to check the folder.',
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

async function hasContent(path: string, { hash, size }: Content): Promise<boolean> {
  try {
    // Not what a link leads to, and not a pipe, which could block.
    const entry = await lstat(path);
    return entry.isFile() && entry.size === size && hashOf(await readFile(path)) === hash;
  } catch {
    return false;
  }
}

function hashOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
