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

/** Capitalizes the first letter. */
export function capitalized([first = '', ...rest]: string): string {
  return first.toUpperCase() + rest.join('');
}

const MAX_NAME_LENGTH = 40;

/**
 * Makes text from the service safe to show on one line of an error: without control characters and line breaks, cut at
 * `maxLength`.
 */
export function clip(text: string, maxLength = MAX_NAME_LENGTH): string {
  return text.slice(0, maxLength).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ');
}
