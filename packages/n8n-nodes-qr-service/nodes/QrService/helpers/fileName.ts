import type { IDataObject } from 'n8n-workflow';
import { IMAGE_FORMATS } from '../../../core.ts';

/**
 * Name of a code's image files, without their endings: the one chosen, else the code's slug, from the input
 * row where it is about this code and otherwise asked for, else the row's name for it, else its id.
 */
export async function fileStem(
  { chosen, row, id }: { chosen: unknown; row: IDataObject; id: string },
  slugOf: (id: string) => Promise<string | undefined>,
): Promise<string> {
  const known = row['id'] === id || row['qrId'] === id ? row : {};
  return (
    cleanName(chosen) ||
    cleanName(known['slug']) ||
    cleanName(await slugOf(id)) ||
    cleanName(known['name']) ||
    cleanName(id) ||
    'qr-code'
  );
}

const ENDING = new RegExp(`\\.(${IMAGE_FORMATS.join('|')})$`, 'i');

/** Parts of a path are taken out, or n8n would make a folder of them. */
function cleanName(name: unknown): string {
  if (typeof name !== 'string') return '';
  return name
    .trim()
    .replace(ENDING, '')
    .replaceAll(/[\\/:*?"<>|\p{Cc}]+/gu, '-')
    .trim()
    .replace(/^[.-]+|(?<![.-])[.-]+$/g, '')
    .slice(0, 120);
}
