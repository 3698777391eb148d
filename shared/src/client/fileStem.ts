import { IMAGE_FORMATS } from '../contract/types.ts';

/** Maximum length: file systems allow 255 bytes, up to 3 for a unit, with room for a number and an extension. */
const MAX_LENGTH = 80;
const EXTENSION = new RegExp(`\\.(${IMAGE_FORMATS.join('|')})$`, 'i');
/** Separators of paths, what Windows refuses, what a shell would run, and what shows a name in another order. */
const UNSAFE = /[\\/:*?"<>|`$\p{Cc}\p{Bidi_C}\ufffd]+/gu;
/** Names of devices on Windows. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** The first of these names that makes a file name on any system, without an image's extension; `qr-code` if none does. */
export function fileStem(...names: unknown[]): string {
  const stem = names.map(cleanName).find((name) => name !== '') ?? 'qr-code';
  return RESERVED.test(stem) ? `qr-${stem}` : stem;
}

function cleanName(name: unknown): string {
  if (typeof name !== 'string') return '';
  return name
    .trim()
    .replace(EXTENSION, '')
    .slice(0, MAX_LENGTH)
    .toWellFormed()
    .replaceAll(UNSAFE, '-')
    .replace(/^[.\s-]+|(?<![.\s-])[.\s-]+$/g, '');
}
