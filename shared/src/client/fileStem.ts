import { IMAGE_FORMATS } from '../contract/types.ts';

/** Maximum length: file systems allow 255 bytes, with room for a number and an extension. */
const MAX_BYTES = 240;
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
  const whole = name.trim().replace(EXTENSION, '');
  // A character that is cut at the limit becomes U+FFFD, which is unsafe.
  return Buffer.from(whole)
    .subarray(0, MAX_BYTES)
    .toString()
    .replaceAll(UNSAFE, '-')
    .replace(/^[.\s-]+|(?<![.\s-])[.\s-]+$/g, '');
}
