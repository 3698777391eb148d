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
 * @throws ParameterError that lists the options, in its title, or after it if there are many, for anything else
 */
export function toOneOf<Option extends string>(value: unknown, info: ChoiceInfo<Option>): Option | undefined {
  const { options, matchCase = false, labels = {} } = info;
  const fold = (text: string) => (matchCase ? text : text.toLowerCase());
  const cell = given(value);
  if (cell === undefined) return undefined;
  const wanted = typeof cell === 'string' ? fold(cell) : undefined;
  const option = options.find((each) => [each, labels[each]].some((name = each) => fold(name) === wanted));
  if (option !== undefined) return option;
  const list = Object.values(info.labels ?? options).join(', ');
  if (list.length <= MAX_LIST_LENGTH) throw invalidParameter(value, info, `one of ${list}`);
  throw invalidParameter(value, info, 'one of its options', `Use one of ${list}.`);
}
