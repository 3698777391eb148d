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
function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(text) && URL.canParse(text);
}

/** Whether a text can be a code's target: an absolute URL that a phone or a redirect opens, such as `mailto:…`. */
function isTarget(text: string): boolean {
  return !UNUSABLE.test(text) && (/^https?:/i.test(text) ? isWebAddress(text) : URL.canParse(text));
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
  throw new ParameterError(
    `${info.label} isn't a valid web address: '${showInput(text, MAX_VALUE_LENGTH)}'.`,
    {
      code: 'validation_failed',
      parameter: info.label,
      advice: 'Use a full web address, for example https://example.com/menu.',
    },
  );
}
