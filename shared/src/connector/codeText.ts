import type { QrCode } from '../contract/types.ts';
import { showText, showValue } from './parameters/showValue.ts';

/**
 * Normalizes a field's text for display and comparison: trimmed, and with accents encoded in one way (Unicode NFC).
 * Empty for anything but text or a number.
 */
export function normalize(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value.normalize('NFC').trim() : '';
}

/** Normalizes a text, so that spellings that differ only in case or accents are equal. */
export function foldCase(value: unknown): string {
  // Upper case first, for letters like ß.
  return normalize(value)
    .toUpperCase()
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '');
}

/**
 * Label of a code in a list of choices, with its status if it isn't published. The slug, or else the ID, distinguishes codes
 * with the same name; it comes last, as lists cut long labels.
 */
export function codeLabel(code: Partial<QrCode> & { id: string }): string {
  const { id } = code;
  const [name, slug, link] = [normalize(code.name), normalize(code.slug), normalize(code.publicUrl)];
  const status = code.status === 'published' ? '' : normalize(code.status);
  const details = [status, name === '' ? '' : slug || id].filter((part) => part !== '').join(', ');
  return `${name || slug || link || id}${details === '' ? '' : ` (${details})`}`;
}

/** Names a code in an error, so that people find it: name, ID and short link. A title may cut off the link. */
export function describeCode({ id, name, publicUrl }: Partial<QrCode> & { id: string }): string {
  const link = normalize(publicUrl);
  return showText(`${showValue(normalize(name))} (ID ${id}${link === '' ? '' : `, ${link}`})`);
}

/** Whether a code has another name than the one that was asked for. */
export function isRenamed(name: string, code: Partial<QrCode>): boolean {
  return code.name !== undefined && normalize(name) !== normalize(code.name);
}
