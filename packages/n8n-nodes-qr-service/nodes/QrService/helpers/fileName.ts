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

/** Characters of a name. */
const LONGEST = 120;
const ENDINGS: readonly string[] = IMAGE_FORMATS;

/** A file's name without parts of a path, of which n8n would make a folder. Empty where nothing is left. */
export function cleanName(name: unknown): string {
  if (typeof name !== 'string') return '';
  return cut(withoutEnding(name.trim()))
    .replaceAll(/[\\/:*?"<>|\p{Cc}]+/gu, '-')
    .replace(/^[.\s-]+|(?<![.\s-])[.\s-]+$/g, '');
}

function withoutEnding(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot >= 0 && ENDINGS.includes(name.slice(dot + 1).toLowerCase()) ? name.slice(0, dot) : name;
}

const CHARACTERS = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The start of a name, in whole characters as people see them. */
function cut(name: string): string {
  if (name.length <= LONGEST) return name;
  let kept = '';
  for (const { segment } of CHARACTERS.segment(name.slice(0, 2 * LONGEST))) {
    if (kept.length + segment.length > LONGEST) break;
    kept += segment;
  }
  return kept;
}
