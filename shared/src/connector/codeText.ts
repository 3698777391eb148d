import type { QrCode } from '../contract/types.ts';

/**
 * A field's text for showing and comparing: without blanks around it, and the same however its accents are encoded
 * (Unicode NFC). Empty for null and anything else that is neither text nor a number.
 */
export function normalise(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value.normalize('NFC').trim() : '';
}

/** Names a code in a list of choices by what it has: the slug, or else the id, tells codes with one name apart. */
export function codeLabel(code: Partial<QrCode> & { id: string }): string {
  const { id } = code;
  const [name, slug, link] = [normalise(code.name), normalise(code.slug), normalise(code.publicUrl)];
  return name === '' ? slug || link || id : `${name} (${slug || id})`;
}
