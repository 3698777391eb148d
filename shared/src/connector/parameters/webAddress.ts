import { ParameterError, type ParameterInfo } from './ParameterError.ts';
import { showInput } from './showValue.ts';
import { toText } from './text.ts';

/** Maximum length of a value in a title. */
const MAX_VALUE_LENGTH = 60;

/** Whether a text is an absolute http or https URL. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(text.trim()) && URL.canParse(text.trim());
}

/** What an error says about a field that isn't a web address: a title without a period, and how to fix it. */
export function describeWebAddress(label: string, value: string | undefined): { title: string; fix: string } {
  return {
    title: `${label} isn't a valid web address${shownValue(value)}`,
    fix:
      value !== undefined && /^https?:/i.test(value.trim())
        ? 'Use a full web address, for example https://example.com/menu.'
        : 'Start it with https://',
  };
}

/** A value at the end of a title; empty if it isn't known. */
export function shownValue(value: string | undefined): string {
  return value === undefined ? '' : `: '${showInput(value, MAX_VALUE_LENGTH)}'`;
}

/**
 * Reads an absolute http or https URL. Undefined for an empty value.
 * @throws ParameterError for anything else
 */
export function toWebAddress(value: unknown, info: ParameterInfo): string | undefined {
  const text = toText(value, info);
  if (text === undefined || isWebAddress(text)) return text;
  const { title, fix } = describeWebAddress(info.label, text);
  throw new ParameterError(`${title}.`, { code: 'invalid_input', parameter: info.label, advice: fix });
}
