/** Longest text in a report, in characters. */
const LONGEST = 1000;
/** Requests and responses are longer. */
const LONGEST_DETAILS = 20_000;

/**
 * Makes a text safe for a terminal or a page: without control characters, escape codes and invisible characters that
 * change the direction, and bounded.
 */
export function safeText(text: string, longest = LONGEST): string {
  const line = text.slice(0, longest).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ');
  return text.length > longest ? `${line}…` : line;
}

/** The same for text of several lines, which keep their breaks. */
export function safeLines(text: string): string[] {
  return text
    .slice(0, LONGEST_DETAILS)
    .split(/\r?\n/)
    .map((line) => safeText(line, LONGEST_DETAILS));
}
