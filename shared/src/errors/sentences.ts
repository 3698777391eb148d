/** An error as users see it, the same on every platform. */
export interface ErrorDescription {
  /** What happened: a title, in one sentence without a period. */
  message: string;
  /** What else is known and what to do next; may be empty. */
  description: string;
  /** Codes and IDs, for support; may be empty. */
  reference: string;
}

/** Joins an error's description into one text: what happened, what to do, and finally what support needs. */
export function errorText({ message, description, reference }: ErrorDescription): string {
  return joined([sentence(message), sentence(description), reference === '' ? '' : `(${reference})`]);
}

/** Joins sentences, of which some may be empty. */
export function joined(sentences: readonly string[]): string {
  return sentences.filter((one) => one !== '').join(' ');
}

/** Adds a period, unless the text already ends like a sentence. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  return trimmed === '' || /[.!?。！？]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** Removes the period at the end. */
export function withoutPeriod(text: string): string {
  return text.trim().replace(/(?<!\.)\.$/, '');
}

/** Formats a text for an error: on one line, without invisible characters, and cut between characters after `longest`. */
export function showText(text: string, longest = 160): string {
  // A character takes up to two units.
  const start = text.slice(0, 2 * longest + 2);
  const line = Array.from(start.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' '));
  return line.length <= longest ? line.join('') : `${line.slice(0, longest).join('')}…`;
}

/** Formats a duration for people, rounded up: `90 seconds`, `58 minutes`, `3 hours`. */
export function duration(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  if (seconds <= 300) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return seconds <= 7200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`;
}
