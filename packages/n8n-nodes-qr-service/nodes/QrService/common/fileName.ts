import type { IDataObject } from 'n8n-workflow';
import { IMAGE_FORMATS } from '../../../core.ts';

/**
 * Name of a code's image files, without the extension: the chosen one, else the code's slug (from the input row
 * if it is about this code, else from the service), else the name in the row, else the ID.
 */
export async function fileStem(
  { chosen, row, id }: { chosen: unknown; row: IDataObject; id: string },
  slugOf: (id: string) => Promise<string | undefined>,
): Promise<string> {
  const known = fieldsOf(id, row);
  return (
    cleanName(chosen) ||
    cleanName(known['slug']) ||
    cleanName(await slugOf(id)) ||
    cleanName(known['name']) ||
    cleanName(id) ||
    'qr-code'
  );
}

/** A row's fields if they are those of this code: any other row may have a name or a status of its own. */
export function fieldsOf(id: string, row: IDataObject): IDataObject {
  return row['id'] === id || row['qrId'] === id ? row : {};
}

/** Characters of a name. */
const MAX_LENGTH = 120;
const EXTENSIONS: readonly string[] = IMAGE_FORMATS;

/** A file name without extension or path separators, which n8n would turn into a folder. Empty if nothing is left. */
export function cleanName(name: unknown): string {
  if (typeof name !== 'string') return '';
  return truncate(withoutExtension(name.trim()))
    .replaceAll(/[\\/:*?"<>|\p{Cc}]+/gu, '-')
    .replace(/^[.\s-]+|(?<![.\s-])[.\s-]+$/g, '');
}

function withoutExtension(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot >= 0 && EXTENSIONS.includes(name.slice(dot + 1).toLowerCase()) ? name.slice(0, dot) : name;
}

const CHARACTERS = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Cuts a name between characters as people see them. */
function truncate(name: string): string {
  if (name.length <= MAX_LENGTH) return name;
  let kept = '';
  for (const { segment } of CHARACTERS.segment(name.slice(0, 2 * MAX_LENGTH))) {
    if (kept.length + segment.length > MAX_LENGTH) break;
    kept += segment;
  }
  return kept;
}
