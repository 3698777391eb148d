import { attempt } from './attempt.ts';
import { invalidParameter, type ParameterError, type ParameterInfo } from './ParameterError.ts';
import { isEmpty } from './text.ts';

/** Maximum length of a list of options in a title. */
const MAX_LIST_LENGTH = 60;

/** The options of a choice. */
interface ChoiceInfo<Option extends string = string> extends ParameterInfo {
  options: readonly Option[];
  /**
   * Whether case matters.
   * @default false
   */
  matchCase?: boolean;
  /**
   * The labels of the options. Labels are accepted as values too, and errors list them instead of the options.
   * @default the options themselves
   */
  labels?: Readonly<Record<string, string>>;
}

/**
 * Reads one of several options. Undefined for an empty value.
 * @throws ParameterError, naming the options, for anything else
 */
export function toOneOf<Option extends string>(value: unknown, info: ChoiceInfo<Option>): Option | undefined {
  if (isEmpty(value)) return undefined;
  const option = find(value, info);
  if (option === undefined) throw notAnOption(value, info, 'one');
  return option;
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
  const given = attempt(() => (Array.isArray(value) ? [...(value as unknown[])] : undefined)) ?? [value];
  const entries = given
    .flatMap((entry): unknown[] => (typeof entry === 'string' ? entry.split(',') : [entry]))
    .filter((entry) => !isEmpty(entry));
  const chosen = entries.map((entry) => {
    const option = find(entry, info);
    if (option === undefined) throw notAnOption(entry, info, 'one or more');
    return option;
  });
  return chosen.length === 0 ? undefined : [...new Set(chosen)];
}

/** The error that lists the options: in its title, or after it if there are many. */
function notAnOption(value: unknown, info: ChoiceInfo, howMany: string): ParameterError {
  const list = Object.values(info.labels ?? info.options).join(', ');
  return list.length <= MAX_LIST_LENGTH
    ? invalidParameter(value, info, `${howMany} of ${list}`)
    : invalidParameter(value, info, `${howMany} of its options`, `Use ${howMany} of ${list}.`);
}

function find<Option extends string>(
  value: unknown,
  { options, matchCase = false, labels = {} }: ChoiceInfo<Option>,
): Option | undefined {
  if (typeof value !== 'string') return undefined;
  const wanted = value.trim();
  if (matchCase) return options.find((option) => option === wanted);
  const lower = wanted.toLowerCase();
  return options.find((option) => [option, labels[option]].some((name) => name?.toLowerCase() === lower));
}
