import { lstat, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isQrServiceError, QrServiceError } from '@qr-service/core';

/** The one folder that images may be written to. */
export type OutputFolder = Awaited<ReturnType<typeof openOutputFolder>>;

/** Opens a folder, and creates it if it is missing. */
export async function openOutputFolder(path: string) {
  await mkdir(path, { recursive: true });
  const folder = await realpath(path);
  return {
    /**
     * Writes a file, unless it is there already. If its name is taken by anything else, a number is added.
     * @param stem from the core's `fileStem`
     * @throws QrServiceError `not_written` if that isn't possible
     */
    async write(stem: string, extension: string, content: Uint8Array): Promise<string> {
      try {
        if ((await realpath(folder)) !== folder) throw notWritten('it was replaced by a link');
        for (let version = 1; ; version++) {
          const file = join(folder, `${stem}${version === 1 ? '' : `-${version}`}.${extension}`);
          if ((await create(file, content)) || (await hasContent(file, content))) return file;
        }
      } catch (error) {
        throw isQrServiceError(error) ? error : notWritten(String((error as NodeJS.ErrnoException).code));
      }
    },
  };
}

function notWritten(reason: string): QrServiceError {
  return new QrServiceError(`The image couldn't be written to the --out folder: ${reason}.`, {
    code: 'not_written',
    detail: 'Ask the user to check the folder.',
  });
}

/** Creates a file; false if there is anything with its name, a link included. */
async function create(path: string, content: Uint8Array): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    // On a full disk, part of an image would be left under its name.
    await rm(path, { force: true });
    throw error;
  }
}

/** Whether it is a file with this content: not a link to one, and not a pipe, which could block. */
async function hasContent(path: string, content: Uint8Array): Promise<boolean> {
  const entry = await lstat(path);
  return entry.isFile() && entry.size === content.length && (await readFile(path)).equals(content);
}
