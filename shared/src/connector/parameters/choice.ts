import { attempt } from './attempt.ts';
import { invalidParameter, type ParameterError, type ParameterInfo } from './ParameterError.ts';
import { isEmpty } from './text.ts';

/** Characters of a list of options in a title. */
const MAX_LIST_LENGTH = 60;

/** The options of a choice. */
export interface ChoiceInfo<Option extends string = string> extends ParameterInfo {
  options: readonly Option[];
  /**
   * Whether case matters.
   * @default false
   */
  matchCase?: boolean;
  /**
   * The labels of the options that people see. A label is as good as its option, and an error lists the labels.
   * @default the options themselves
   */
  labels?: Readonly<Record<string, string>>;
}

/**
 * One of some options. Undefined for an empty value.
 * @throws ParameterError, naming the options, for anything else
 */
export function toOneOf<Option extends string>(value: unknown, info: ChoiceInfo<Option>): Option | undefined {
  if (isEmpty(value)) return undefined;
  const option = find(value, info);
  if (option === undefined) throw notAnOption(value, info, 'one');
  return option;
}

/**
 * Several of some options, each once, in the order given: from an array or from comma-separated text. Undefined for an
 * empty value and for an array of empty values.
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

/** Names the options, in the title or, where they are many, after it. */
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
  const exact = options.find((option) => option === wanted);
  if (exact !== undefined || matchCase) return exact;
  const lower = wanted.toLowerCase();
  return options.find((option) => [option, labels[option]].some((name) => name?.toLowerCase() === lower));
}
