import { ParameterError, type ParameterInfo } from './ParameterError.ts';
import { showInput } from './showValue.ts';
import { INVISIBLE, toRequiredText } from './text.ts';

/** Maximum length of a value in a title. */
const MAX_VALUE_LENGTH = 60;

/** A host with a dot, such as `example.com` or `example.com:8080`, at the start. Prices and versions aren't hosts. */
const HOST = /^(?:[\p{L}\p{M}\p{N}_-]+\.)+\p{L}[\p{L}\p{M}\p{N}-]+(?::\d{1,5})?(?=[/?#]|$)/u;

/** Nothing that a phone or a redirect opens. */
const UNUSABLE = /^(?:data|javascript|vbscript):/i;

/**
 * What spoils an address, with what to do about it, most specific first. Each is an absolute URL to a URL parser, and
 * would be printed as it is. `$1` in a title is the part before it, which shows where to look.
 */
const MISTAKES: readonly { pattern: RegExp; unless?: RegExp; title: string; advice: string }[] = [
  {
    pattern: /\{\{|\$\{/,
    title: 'contains a placeholder instead of its value',
    advice: 'Replace the placeholder with its value, for example by mapping the field again.',
  },
  {
    pattern: /&amp;/i,
    title: 'contains &amp; instead of &',
    advice: 'It was copied from HTML. Replace each &amp; with &.',
  },
  {
    pattern: /^[^"“<]*["”>]$/,
    title: 'ends with a quotation mark or a bracket',
    advice: 'Remove the last character.',
  },
  {
    // An address within a path, a query or a text is none: only a separator makes it a second one.
    pattern: /[\s,;|]https?:\/\//i,
    unless: /^(?:mailto|sms|smsto):|^[^?#]*[?#].*[=/]https?:/i,
    title: 'contains more than one web address',
    advice: 'A QR code has one destination. Keep one of them, or use a row for each.',
  },
  {
    pattern: /^https?:\/+(?:https?(?:[:/]|$)|(?:mailto|tel|sms|geo):)|^([a-z]+):\/*\1:|^www\.[^/?#]*:\/\//i,
    title: 'starts with two schemes',
    advice: 'Keep one https:// (or mailto:, tel:) at the start.',
  },
  {
    pattern: /^(?!https?:)h?t{1,3}ps?:/i,
    title: 'starts with a misspelled https://',
    advice: 'Correct the start.',
  },
  {
    // Not percent-encoded: pages have such addresses.
    pattern: new RegExp(`^(.*?)${INVISIBLE.source}`, 'su'),
    title: "contains an invisible character after '$1'",
    advice: 'Delete the characters around that place and type them again.',
  },
  {
    pattern: /^(.*?)[\s\p{Cc}]/u,
    title: "contains a space or a line break after '$1'",
    advice: 'Remove it, or write %20 for a space.',
  },
];

const NO_ADDRESS = {
  pattern: undefined,
  title: "isn't a valid web address",
  advice: 'Use a full web address, for example https://example.com/menu.',
};

/** Whether a text is an absolute http or https URL with a host that can exist. */
function isWebAddress(text: string): boolean {
  if (!/^https?:\/\/[^\s/]/i.test(text) || !URL.canParse(text)) return false;
  const { hostname } = new URL(text);
  return hostname.startsWith('[') || /^[\w-]+(?:\.[\w-]+)*\.?$/.test(hostname);
}

/** Whether a text can be a code's target: an absolute URL that a phone or a redirect opens, such as `mailto:…`. */
function isTarget(text: string): boolean {
  return !UNUSABLE.test(text) && (/^https?:/i.test(text) ? isWebAddress(text) : URL.canParse(text));
}

/**
 * Reads where a code should point: an absolute URL, such as `https://example.com/menu` or `mailto:info@example.com`, as it
 * is, and `example.com/menu` as `https://example.com/menu`. Spaces and invisible characters at its ends are dropped.
 * @throws ParameterError for an empty value, for anything else, and for what would spoil a printed code: two addresses,
 * two schemes, a placeholder, an invisible character
 */
export function toWebAddress(value: unknown, info: ParameterInfo): string {
  const text = toRequiredText(value, info);
  const url = HOST.test(text) ? `https://${text}` : text;
  const mistake = MISTAKES.find(({ pattern, unless }) => pattern.test(text) && unless?.test(text) !== true);
  if (mistake === undefined && isTarget(url)) return url;
  const { pattern, title, advice } = mistake ?? NO_ADDRESS;
  const before = showInput(pattern?.exec(text)?.[1] ?? '', MAX_VALUE_LENGTH);
  const problem = title.replace('$1', () => before);
  const message = `${info.label} ${problem}: '${showInput(text, MAX_VALUE_LENGTH)}'.`;
  throw new ParameterError(message, { code: 'validation_failed', parameter: info.label, advice });
}
