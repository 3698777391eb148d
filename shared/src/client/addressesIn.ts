/**
 * An address inside a text, or in the URL of a contact card, up to where programs that find links in texts end it: they take
 * everything before an @ for a user name.
 */
const ADDRESS =
  /(?:https?:[\\/]*|[a-z][a-z\d+.-]{0,60}:[\\/]{2}|\bwww\.|(?<=\burl(?:;[^\s:]{0,60})?:))(?:[^\s/?#@"<>]{0,4999}@)?[^\s"'<>`(){}|;,]+/gi;

/** The addresses inside a text; an empty one, which no list allows, for one that programs read differently. */
export function addressesIn(text: string): string[] {
  // Contact cards and calendars continue a line after a space, end fields at a semicolon, and escape colons.
  const unfolded = /BEGIN:V/i.test(text) ? text.replaceAll(/\r?[\r\n][ \t]/g, '') : text;
  const fields = /^MECARD:/i.test(text) ? unfolded.replaceAll(';', '\n') : unfolded;
  return [...fields.replaceAll('\\:', ':').matchAll(ADDRESS)].map(([found]) =>
    // Some programs take a backslash for a slash, others remove it.
    found.includes('\\') ? '' : found.replace(/[.:!?*_\]]{1,9}$/, ''),
  );
}
