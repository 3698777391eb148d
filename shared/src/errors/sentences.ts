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
  const text = [sentence(message), description].filter((part) => part !== '').join(' ');
  return reference === '' ? text : `${text} (${reference})`;
}

/** What support needs to identify an error. */
export interface ErrorReference {
  /** The service's error code, or `http_` and the status if it sent none. */
  code: string;
  /** HTTP status. */
  status: number;
  requestId?: string | undefined;
  /** What responded instead of the service. */
  intermediary?: string | undefined;
}

/** An error's codes and IDs as a list, for support. */
export function joinReference({ code, status, requestId, intermediary }: ErrorReference): string {
  const isBare = code === `http_${status}`;
  const request = requestId === undefined ? undefined : `request ${requestId}`;
  return [isBare ? `status ${status}` : code, intermediary, request]
    .filter((part) => part !== undefined)
    .join(', ');
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
export function capitalized(text: string): string {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length);
}

/** Maximum length of a title. */
export const MAX_TITLE_LENGTH = 150;

/** Whether a text can be a title: short, on one line, and in words, without JSON, markup or names from code. */
export function isPresentable(text: string): boolean {
  return (
    /^['"“]?[\p{L}\d].*\p{L}{2}/u.test(text) &&
    text.length <= MAX_TITLE_LENGTH - 30 &&
    !/[{}[\]<>\n_]|\p{Ll}\p{Lu}|\b[a-z]\w*\.[a-z]\w*\b/u.test(text)
  );
}

/** Whether a text is JSON or markup, which users can't read. */
export function isCode(text: string): boolean {
  return /^\s*[{[<]/.test(text);
}

/** Words that only say that something failed. */
const EMPTY_WORDS = new Set(
  'about access again allowed been before code denied does error errors exist exists failed failure first forbidden found from have invalid limit longer many missing more much need needs must perform please rate record request requests required requires resource response right service status such that the their then there this time unauthorized unknown unprocessable valid validation were when with your'.split(
    ' ',
  ),
);
/** Two words that share this many letters at the start count as the same. */
const STEM_LENGTH = 5;

/** Whether the service's message adds anything to our own text. */
export function saysMore(message: string, ours: string): boolean {
  const known = new Set(stems(ours));
  return stems(message).some((stem) => !known.has(stem));
}

function stems(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\d]+/gu) ?? [];
  return words
    .filter((word) => (word.length > 3 || /\d/.test(word)) && !EMPTY_WORDS.has(word))
    .map((word) => word.slice(0, STEM_LENGTH));
}
