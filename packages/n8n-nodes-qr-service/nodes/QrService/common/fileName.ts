import { IMAGE_FORMATS } from '../../../deps.ts';

/** Characters of a name. */
const MAX_LENGTH = 120;
const EXTENSION = new RegExp(`\\.(${IMAGE_FORMATS.join('|')})$`, 'i');

/** The first of these names that makes a file name, without extension or path separators, which n8n would turn into a folder. */
export function fileStem(...names: unknown[]): string {
  return names.map(cleanName).find((name) => name !== '') as string;
}

function cleanName(name: unknown): string {
  if (typeof name !== 'string') return '';
  return name
    .trim()
    .replace(EXTENSION, '')
    .slice(0, MAX_LENGTH)
    .toWellFormed()
    .replaceAll(/[\\/:*?"<>|\p{Cc}\ufffd]+/gu, '-')
    .replace(/^[.\s-]+|(?<![.\s-])[.\s-]+$/g, '');
}
