import { operationOf } from '../contract/operations.ts';
import type { ApiError } from '../errors/ApiError.ts';
import { isErrorCode } from '../contract/errorCodes.ts';
import type { ErrorWords, Explanation } from '../errors/explain.ts';
import { capitalized, isCode, isPresentable, sentence, withoutPeriod } from '../errors/sentences.ts';
import { isObject } from '../json/values.ts';
import { readFieldErrors, type FieldError } from '../wire/fieldErrors.ts';
import { fieldLabel, humanized, type InputNaming } from './fieldLabels.ts';
import { describeWebAddress, isTarget, isWebAddress, shownValue } from './parameters/webAddress.ts';

/** Maximum number of fields to describe after the first one. */
const MAX_OTHERS = 3;

/** A field of the input, and what is wrong with it. */
interface Problem extends FieldError {
  naming: InputNaming;
  /** The value that was sent, if known. */
  value: string | undefined;
}

/** What is wrong with a field: a title, and how to fix it. */
interface FieldAdvice {
  title: string;
  fix: string;
}

/** Title and advice for an error that names input fields, as `words` name them; undefined for any other error. */
export function explainFieldErrors(
  error: ApiError,
  { inputsOf = operationOf(error), inputNames }: Pick<ErrorWords, 'inputsOf' | 'inputNames'> = {},
): Pick<Explanation, 'title' | 'facts' | 'remedy'> | undefined {
  const { code, status, details, serviceMessage, input } = error;
  const naming = { operation: inputsOf, byKey: inputNames === 'key' };
  const mayName = code === 'validation_failed' || (!isErrorCode(code) && (status === 400 || status === 422));
  if (!mayName || error.intermediary !== undefined) return undefined;
  const found = readFieldErrors(details, serviceMessage);
  // The first error of each field.
  const byField = new Map(found.toReversed().map((one) => [one.path.at(-1), one]));
  const problems = found
    .filter((one) => byField.get(one.path.at(-1)) === one)
    .map((one): Problem => ({ ...one, naming, value: valueAt(input, one.path) }));
  const [first, ...others] = problems.map(describe);
  if (first === undefined) return undefined;
  const titles = new Set(others.map(({ title }) => title));
  titles.delete(first.title);
  const more = [...titles].slice(0, MAX_OTHERS).map((title) => `Also: ${sentence(title)}`);
  const fix = more.length === 0 ? first.fix : [sentence(first.fix), ...more].join(' ').trim();
  return { title: first.title, facts: [], remedy: { fix } };
}

function describe(problem: Problem): FieldAdvice {
  const { path, naming } = problem;
  const known = path.findLastIndex((name) => fieldLabel(name, naming) !== undefined);
  const name = path[known] ?? '';
  const label = fieldLabel(name, naming);
  if (label === undefined) return describeOther(problem);
  const inside = path.slice(known + 1);
  // Users enter other kinds of content as JSON, so they know the API's names.
  if (inside.length > 0)
    return {
      title: `${label} isn't valid`,
      fix: `${inside.join('.')}: ${reasonOf(problem) || 'Correct it.'}`,
    };
  return describeInput(problem, label, name);
}

/** A field that users don't fill in, such as the status of a code. */
function describeOther({ path, reason = '' }: Problem): FieldAdvice {
  const label = humanized(path.at(-1) ?? '') || 'The input';
  const title =
    reason === '' ? `${label} isn't valid` : `${label}${isPredicate(reason) ? '' : ':'} ${reason}`;
  if (isPresentable(title)) return { title: withoutPeriod(title), fix: '' };
  return { title: `${label} isn't valid`, fix: isCode(reason) ? '' : sentence(capitalized(reason)) };
}

const WEB_ADDRESSES: readonly string[] = ['targetUrl', 'url'];
const ABOUT_FORM =
  /\b(?:absolute|valid|invalid|malformed|format|https?)\b.*\b(?:url|uri|address|link)\b|\b(?:url|uri|address|link)\b.*\b(?:absolute|valid|invalid|malformed|format|https?)\b|https?:\/\//i;
const ABOUT_EMPTY = /\b(?:empty|blank|missing|required)\b|\bat least 1 char/i;
const ABOUT_LENGTH =
  /\btoo long\b|\b(?:at most|maximum|max|up to|longer than|exceeds?|no more than)\b.*\bchar|\bchar.*\b(?:at most|maximum|max|or less|or fewer)\b/i;

/** The maximum length in such a reason, not the length of what was sent. */
const MOST =
  /\b(?:at most|maximum|max|up to|longer than|exceeds?|no more than)\b\D{0,20}(\d[\d,]*)|(\d[\d,]{0,9})(?: \w+)? (?:at most|maximum|max|or less|or fewer)\b/i;

/** An input that users fill in, by its label. */
function describeInput(problem: Problem, label: string, name: string): FieldAdvice {
  const { reason = '', value } = problem;
  if (value === undefined ? ABOUT_EMPTY.test(reason) : value.trim() === '')
    return { title: `${label} is empty`, fix: 'Enter a value.' };
  // The service may refuse `mailto:…` for another reason.
  const mayBeTarget = value === undefined || (isTarget(value) && !isWebAddress(value));
  const isAboutForm =
    WEB_ADDRESSES.includes(name) && (mayBeTarget ? ABOUT_FORM.test(reason) : !isWebAddress(value));
  if (isAboutForm) return describeWebAddress(label, value);
  const isSpaced = WEB_ADDRESSES.includes(name) && value !== undefined && /\S\s+\S/.test(value);
  if (isSpaced && ABOUT_FORM.test(reason))
    return { title: `${label} contains a space${shownValue(value)}`, fix: 'Remove it, or write it as %20.' };
  return (
    describeLength(problem, label) ?? {
      title: `${label} isn't valid${shownValue(value)}`,
      fix: reasonOf(problem) || 'Check its value.',
    }
  );
}

/** Undefined if the value isn't too long: a reason may state the maximum length among other rules. */
function describeLength({ reason = '', value }: Problem, label: string): FieldAdvice | undefined {
  if (!ABOUT_LENGTH.test(reason) || (value !== undefined && value.length <= 1)) return undefined;
  const most = MOST.exec(reason)?.slice(1).find(Boolean);
  const fix = most === undefined ? 'Shorten it.' : `Use at most ${most} characters.`;
  if (value === undefined) return { title: `${label} is too long`, fix };
  const limit = most === undefined ? 0 : Number(most.replaceAll(',', ''));
  const length = lengthsOf(value).find(([count]) => count > limit);
  return length && { title: `${label} is too long: ${length.join(' ')}`, fix };
}

/** The lengths that a service may count: it may store bytes, or a URL in its escaped form. */
function lengthsOf(value: string): [count: number, unit: string][] {
  const bytes = new TextEncoder().encode(value).length;
  if (!isWebAddress(value))
    return [
      [value.length, 'characters'],
      [bytes, 'bytes'],
    ];
  return [
    [value.length, 'characters'],
    [new URL(value).href.length, 'characters once escaped'],
  ];
}

/** The service's reason as a sentence. */
function reasonOf({ path, reason = '', naming }: Problem): string {
  const name = path.at(-1) ?? '';
  const label = fieldLabel(name, naming) ?? humanized(name);
  // The field's name may appear anywhere. If it is also an English word, it counts only in quotes.
  const isTechnical = /\p{Ll}\p{Lu}/u.test(name);
  const spelled = isTechnical ? `(?:\\w+\\.)?${name}\\b` : `["'\`]${name}["'\`]`;
  const text = /^\w+$/.test(name) ? reason.replaceAll(new RegExp(spelled, 'g'), label) : reason;
  if (text === '' || isCode(text)) return '';
  const words = /^\w+$/.test(text) ? text.replaceAll('_', ' ') : text;
  return sentence(isPredicate(words) ? `It ${words}` : capitalized(words));
}

/** Whether a reason continues the field's name: "must be …". */
function isPredicate(reason: string): boolean {
  return /^(?:must|is|isn't|are|should|can|can't|cannot|has|have|may|does|doesn't|needs|was)\b/.test(reason);
}

/** The text, number or boolean that was sent for a field, found by its path, or else by its name alone. */
function valueAt(input: ApiError['input'], path: readonly string[]): string | undefined {
  if (input === undefined) return undefined;
  const content = input['content'];
  const starts = isObject(content) ? [input, content] : [input];
  for (const names of [path, path.slice(-1)])
    for (const start of starts) {
      let value: unknown = start;
      for (const name of names)
        value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
      if (['string', 'number', 'boolean'].includes(typeof value)) return String(value);
    }
  return undefined;
}
