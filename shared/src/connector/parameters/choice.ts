import { invalidParameter, type ParameterInfo } from './ParameterError.ts';
import { given } from './text.ts';

/** Maximum length of a list of options in a title. */
const MAX_LIST_LENGTH = 60;

/** The options of a choice. */
interface ChoiceInfo<Option extends string> extends ParameterInfo {
  options: readonly Option[];
  /** Whether case matters. */
  matchCase?: boolean;
  /** Labels of the options: they are accepted as values, too, and errors list them instead of the options. */
  labels?: Readonly<Record<string, string>>;
}

/**
 * Reads one of several options. Undefined for an empty value.
 * @throws ParameterError, naming the options, for anything else
 */
export function toOneOf<Option extends string>(value: unknown, info: ChoiceInfo<Option>): Option | undefined {
  return given(value) === undefined ? undefined : find(value, info, 'one');
}

/**
 * Reads any number of options, in the given order and without duplicates, from an array or from comma-separated text.
 * Undefined for an empty value and for an array of empty values.
 * @throws ParameterError, naming the options, for anything else
 */
export function toSeveralOf<Option extends string>(
  value: unknown,
  info: ChoiceInfo<Option>,
): Option[] | undefined {
  const chosen = [value]
    .flat()
    .flatMap((entry: unknown): unknown[] => (typeof entry === 'string' ? entry.split(',') : [entry]))
    .filter((entry) => given(entry) !== undefined)
    .map((entry) => find(entry, info, 'one or more'));
  return chosen.length === 0 ? undefined : [...new Set(chosen)];
}

/** @throws ParameterError that lists the options: in its title, or after it if there are many */
function find<Option extends string>(value: unknown, info: ChoiceInfo<Option>, howMany: string): Option {
  const { options, matchCase = false, labels = {} } = info;
  const fold = (text: string) => (matchCase ? text : text.toLowerCase());
  const cell = given(value);
  const wanted = typeof cell === 'string' ? fold(cell) : undefined;
  const option = options.find((each) => [each, labels[each]].some((name = each) => fold(name) === wanted));
  if (option !== undefined) return option;
  const list = Object.values(info.labels ?? options).join(', ');
  if (list.length <= MAX_LIST_LENGTH) throw invalidParameter(value, info, `${howMany} of ${list}`);
  throw invalidParameter(value, info, `${howMany} of its options`, `Use ${howMany} of ${list}.`);
}

const YES = ['true', 'yes', 'y', 'on', '1'];
const NO = ['false', 'no', 'n', 'off', '0'];

/**
 * Reads yes or no: from true or false, 1 or 0, or their texts, "yes", "no", "y", "n", "on" or "off" in any case.
 * Undefined for an empty value.
 * @throws ParameterError for anything else
 */
export function toYesNo(value: unknown, info: ParameterInfo): boolean | undefined {
  const cell = given(value);
  if (cell === undefined) return undefined;
  const word = typeof cell === 'object' ? '' : `${cell as string | number}`.toLowerCase();
  if (YES.includes(word)) return true;
  if (NO.includes(word)) return false;
  throw invalidParameter(value, info, 'yes or no (true or false)');
}
