import { ParameterError, type ParameterInfo } from './ParameterError.ts';
import { showInput } from './showValue.ts';
import { toRequiredText } from './text.ts';

/** Maximum length of a value in a title. */
const MAX_VALUE_LENGTH = 60;

/** A host with a dot, such as `example.com` or `example.com:8080`, at the start. Prices and versions aren't hosts. */
const HOST = /^(?:[\p{L}\p{M}\p{N}_-]+\.)+\p{L}[\p{L}\p{M}\p{N}-]+(?::\d{1,5})?(?=[/?#]|$)/u;

/**
 * Nothing that a phone or a redirect opens. A control character is none either: browsers drop it, so that two addresses in
 * a cell become one that doesn't work.
 */
const UNUSABLE = /^(?:data|javascript|vbscript):|\p{Cc}/iu;

/** Whether a text is an absolute http or https URL. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(text) && URL.canParse(text);
}

/** Whether a text can be a code's target: an absolute URL that a phone or a redirect opens, such as `mailto:…`. */
export function isTarget(text: string): boolean {
  return !UNUSABLE.test(text) && (/^https?:/i.test(text) ? isWebAddress(text) : URL.canParse(text));
}

/** What an error says about a field that isn't a web address: a title without a period, and how to fix it. */
export function describeWebAddress(label: string, value: string | undefined): { title: string; fix: string } {
  return {
    title: `${label} isn't a valid web address${shownValue(value)}`,
    fix:
      value !== undefined && isTarget(value)
        ? "The service doesn't accept this kind of address. Use a web address instead."
        : 'Use a full web address, for example https://example.com/menu.',
  };
}

/** A value at the end of a title; empty if it isn't known. */
export function shownValue(value: string | undefined): string {
  return value === undefined ? '' : `: '${showInput(value, MAX_VALUE_LENGTH)}'`;
}

/**
 * Reads where a code should point: an absolute URL, such as `https://example.com/menu` or `mailto:info@example.com`, as it
 * is, and `example.com/menu` as `https://example.com/menu`.
 * @throws ParameterError for an empty value and for anything else
 */
export function toWebAddress(value: unknown, info: ParameterInfo): string {
  const text = toRequiredText(value, info);
  const url = HOST.test(text) ? `https://${text}` : text;
  if (isTarget(url)) return url;
  const { title, fix } = describeWebAddress(info.label, text);
  throw new ParameterError(`${title}.`, { code: 'validation_failed', parameter: info.label, advice: fix });
}
