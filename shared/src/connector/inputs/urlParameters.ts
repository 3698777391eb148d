import { LOST_CHARACTER, PLACEHOLDER, refuseMistakes } from './mistakes.ts';
import { ParameterError, type ParameterInfo } from './ParameterError.ts';
import { CELL_ERROR, percentDecoded, toText } from './text.ts';

/**
 * Adds parameters to the query of a URL, in their order; the rest of it stays as it is. One that the URL already has is
 * replaced, and one without a value is left out. What is percent-encoded in a name or a value already isn't encoded again.
 * @param url an absolute URL, from `toWebAddress`
 * @throws ParameterError for a value without a name, for one that isn't text or a number or that nobody can have meant, such
 * as a placeholder, and for a URL that is neither http nor https
 */
export function withUrlParameters(
  url: string,
  parameters: readonly { name: unknown; value: unknown }[],
  info: ParameterInfo,
): string {
  const added = new Map<string, string[]>();
  for (const { name, value } of parameters) {
    const key = readPart(name, info);
    const text = readPart(value, { label: key === undefined ? info.label : `${info.label} (${key})` });
    if (text === undefined) continue;
    if (key === undefined)
      throw refused(info, 'has a value without a name', 'Enter the name of the parameter.');
    added.set(key, [...(added.get(key) ?? []), `${key}=${text}`]);
  }
  if (added.size === 0) return url;
  if (!/^https?:/i.test(url)) {
    const advice = 'Leave them empty, or use a target URL that starts with https://.';
    throw refused(info, `can't be added to a link such as ${url.replace(/:.*/s, ':')}`, advice);
  }
  const [, page = url, query = '', fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(url) ?? [];
  let parts = query === '' ? [] : query.replace(/&$/, '').split('&');
  for (const [key, given] of added) {
    const isOther = (part: string) => nameOf(part) !== nameOf(key);
    const kept = parts.findIndex((part) => !isOther(part));
    const place = kept === -1 ? parts.length : kept;
    parts = [...parts.slice(0, place), ...given, ...parts.slice(place).filter(isOther)];
  }
  return `${page}?${parts.join('&')}${fragment}`;
}

/** A name or value, encoded once; undefined if it is empty. A percent sign in a text such as `50%Deal` encodes nothing. */
function readPart(value: unknown, info: ParameterInfo): string | undefined {
  const text = toText(value, info)?.toWellFormed();
  if (text === undefined) return undefined;
  refuseMistakes(text, info, [PLACEHOLDER, CELL_ERROR, LOST_CHARACTER]);
  return encodeURIComponent(text.replaceAll(/(?:%[\da-f]{2})+/gi, percentDecoded));
}

function nameOf(part: string): string {
  return percentDecoded(part.replace(/=.*/s, '').replaceAll('+', ' '));
}

function refused({ label }: ParameterInfo, problem: string, advice: string): ParameterError {
  return new ParameterError(`${label} ${problem}.`, { code: 'validation_failed', parameter: label, advice });
}
