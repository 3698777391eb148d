/** The same text for all spellings of a name: in one Unicode form, without the blanks around it. Empty where there is none. */
export function nameKey(name: unknown): string {
  return typeof name === 'string' ? name.normalize('NFC').trim() : '';
}
