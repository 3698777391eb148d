import { Buffer } from 'node:buffer';

/** Characters of a difference that are shown. */
const SHOWN = 12;

/**
 * Says where a received body first departs from the signed one: offset, line and column, what stands there and what was
 * signed. Both must differ.
 */
export function describeDifference(received: Uint8Array, signed: Uint8Array): string {
  const start = characterStart(received, commonStart(received, signed));
  const end = commonEnd(received.subarray(start), signed.subarray(start));
  const extra = received.subarray(start, received.length - end);
  const missing = signed.subarray(start, signed.length - end);
  const place = placeOf(received, start);
  if (extra.length === 0) return `${place}, ${show(missing)} is missing.`;
  if (missing.length === 0) return `${place}, there is ${show(extra)} too much.`;
  return `${place}, there is ${show(extra)}, but ${show(missing)} was signed.`;
}

function placeOf(bytes: Uint8Array, offset: number): string {
  const before = Buffer.from(bytes.subarray(0, offset)).toString('utf8').split('\n');
  const column = Array.from(before.at(-1) ?? '').length + 1;
  const at = offset === bytes.length ? `At the end (byte ${offset}` : `At byte ${offset} (`;
  return `${at}${offset === bytes.length ? ', ' : ''}line ${before.length}, column ${column})`;
}

function commonStart(a: Uint8Array, b: Uint8Array): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}

function commonEnd(a: Uint8Array, b: Uint8Array): number {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a.at(-1 - length) === b.at(-1 - length)) length++;
  return length;
}

/** Moves back to the first byte of a character in UTF-8. */
function characterStart(bytes: Uint8Array, offset: number): number {
  let at = offset;
  while (at > 0 && offset - at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--;
  return at;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Shows bytes as text with escapes, or in hexadecimal if they aren't UTF-8. */
function show(bytes: Uint8Array): string {
  const cut = shorten(bytes);
  const more = cut.length < bytes.length ? '…' : '';
  try {
    const text = JSON.stringify(UTF8.decode(cut));
    const shown = text.replaceAll(/[\p{C}\p{Z}]/gu, (character) =>
      character === ' ' ? ' ' : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
    );
    return `${shown}${more}`;
  } catch {
    return `${Array.from(cut, (byte) => `0x${byte.toString(16).padStart(2, '0').toUpperCase()}`).join(' ')}${more}`;
  }
}

/** Cuts between characters of UTF-8. */
function shorten(bytes: Uint8Array): Uint8Array {
  return bytes.length <= SHOWN ? bytes : bytes.subarray(0, characterStart(bytes, SHOWN));
}
