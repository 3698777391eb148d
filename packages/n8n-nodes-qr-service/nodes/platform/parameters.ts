import { tryToParseDateTime, type IExecuteFunctions, type INodeProperties } from 'n8n-workflow';
import {
  omitUndefined,
  ParameterError,
  sentence,
  toKey,
  toNewName,
  toOneOf,
  toRequiredText,
  toText,
  toTime,
  toWebAddress,
  toWholeNumber,
  toYesNo,
} from '../../deps.ts';
import type { TriggerContext } from './client.ts';

/** Evaluates the value at a path, or with `rawExpressions` returns it as written. */
type ValueOf = (path: string, options?: { rawExpressions: boolean }) => unknown;

/** Reads a node's parameters, which hold anything. An empty one has its default, an invalid one throws a `ParameterError`. */
export class Parameters {
  readonly #valueOf: ValueOf;
  readonly #timeZone: () => string;

  private constructor(valueOf: ValueOf, timeZone: () => string) {
    this.#valueOf = valueOf;
    this.#timeZone = timeZone;
  }

  /** The parameters as one item's expressions fill them. */
  static ofItem(context: IExecuteFunctions, itemIndex: number): Parameters {
    const valueOf: ValueOf = (path, options) => context.getNodeParameter(path, itemIndex, null, options);
    return new Parameters(valueOf, () => context.getTimezone());
  }

  /** The parameters of a trigger. */
  static ofTrigger(context: TriggerContext): Parameters {
    const valueOf: ValueOf = (path, options) => context.getNodeParameter(path, null, options);
    return new Parameters(valueOf, () => context.getTimezone());
  }

  /** The parameters inside a collection, each evaluated by itself, so that one failure doesn't affect the others. */
  in({ name }: INodeProperties): Parameters {
    // n8n turns DateTime objects inside a collection into local text; read one by one they stay as they are.
    return new Parameters((member, options) => this.#valueOf(`${name}.${member}`, options), this.#timeZone);
  }

  /** Whether a collection has this member, which may be empty. */
  has({ name }: INodeProperties): boolean {
    return this.#valueOf(name, { rawExpressions: true }) !== null;
  }

  text(definition: INodeProperties): string {
    const value = this.#read(definition);
    const usual = definition.default as string;
    if (definition.required === true && usual === '') return toRequiredText(value, about(definition));
    return toText(value, about(definition)) ?? usual;
  }

  newName(definition: INodeProperties): string {
    return toNewName(this.#read(definition), about(definition));
  }

  /** A required web address; `https://` may be missing. */
  webAddress(definition: INodeProperties): string {
    return toWebAddress(this.#read(definition), about(definition));
  }

  /** The text of a resource locator, or of a plain value in its place. Without `advice` on what to choose, it may be empty. */
  located(definition: INodeProperties, advice?: string): string {
    // Read by itself for the same reason as a collection's fields.
    const read = this.#evaluated(definition, `${definition.name}.value`) ?? this.#evaluated(definition);
    const value = unwrapLocator(read, { unmarked: true });
    if (advice !== undefined) return toRequiredText(value, about(definition), advice);
    return toText(value, about(definition)) ?? '';
  }

  /** Whether the value is an expression, so that each item can have its own. The editor puts a `=` before a fixed one, too. */
  isExpression({ name }: INodeProperties): boolean {
    const written = unwrapLocator(this.#valueOf(name, { rawExpressions: true }), { unmarked: true });
    return typeof written === 'string' && /^=.*\{\{/s.test(written);
  }

  /** Bounded by the `typeOptions` of its description. */
  wholeNumber(definition: INodeProperties): number {
    const { minValue: min = 0, maxValue: max } = definition.typeOptions ?? {};
    const info = { ...about(definition), ...omitUndefined({ min, max }) };
    return toWholeNumber(this.#read(definition), info) ?? (definition.default as number);
  }

  yesNo(definition: INodeProperties): boolean {
    return toYesNo(this.#read(definition), about(definition)) ?? (definition.default as boolean);
  }

  oneOf(definition: INodeProperties): string {
    // n8n uses the exact value of such a parameter to decide which others the node has.
    const matchCase = definition.noDataExpression === true;
    const info = { ...about(definition), options: optionsOf(definition), matchCase };
    return toOneOf(this.#read(definition), info) ?? (definition.default as string);
  }

  /** Any number of options, from a list or from text with commas. */
  severalOf(definition: INodeProperties): string[] {
    const info = { ...about(definition), options: optionsOf(definition) };
    const texts = [this.#read(definition)]
      .flat()
      .flatMap((value: unknown) => (typeof value === 'string' ? value.split(',') : [value]));
    const chosen = texts.flatMap((value) => toOneOf(value, info) ?? []);
    return chosen.length === 0 ? (definition.default as string[]) : [...new Set(chosen)];
  }

  /** The name and value pairs of a fixed collection's group, with values of any type. */
  pairs(definition: INodeProperties, group: string): { name: unknown; value: unknown }[] {
    const groups = this.#read(definition) as Record<string, { name: unknown; value: unknown }[]> | null;
    return groups?.[group] ?? [];
  }

  /** A time as ISO 8601 UTC, read in the workflow's time zone; an hour that exists twice is the earlier one. */
  time(definition: INodeProperties): string | undefined {
    const readLocal = (text: string) =>
      Math.min(...tryToParseDateTime(text, this.#timeZone()).getPossibleOffsets().map(Number));
    return toTime(this.#read(definition), { ...about(definition), readLocal });
  }

  /** Identifies an item; undefined when it is empty. */
  key(definition: INodeProperties): string | undefined {
    return toKey(this.#read(definition), about(definition));
  }

  #read(definition: INodeProperties): unknown {
    return unwrapLocator(this.#evaluated(definition));
  }

  #evaluated(definition: INodeProperties, path = definition.name): unknown {
    try {
      return this.#valueOf(path);
    } catch (error) {
      throw failedExpression(error, definition);
    }
  }
}

/** The value of a resource locator, which `__rl` marks, or a `mode` if the parameter is one; anything else as it is. */
function unwrapLocator(value: unknown, { unmarked = false } = {}): unknown {
  const locator = value as { __rl?: unknown; value: unknown };
  if (typeof value !== 'object' || value === null || !('value' in value)) return value;
  return locator.__rl === true || (unmarked && 'mode' in value) ? locator.value : value;
}

/** n8n's own message, which doesn't name the parameter, with the label in front. */
function failedExpression(error: unknown, { displayName }: INodeProperties): ParameterError {
  const { message, description } = error as { message?: unknown; description?: unknown };
  const words = typeof message === 'string' && message !== '' ? message : 'its expression failed';
  const text = `${displayName} could not be evaluated: ${sentence(words)}`;
  const advice = typeof description === 'string' && description !== '' ? description : 'Fix the expression.';
  return new ParameterError(text, { code: 'invalid_input', parameter: displayName, advice });
}

function about({ displayName }: INodeProperties): { label: string } {
  return { label: displayName };
}

function optionsOf({ options = [] }: INodeProperties): string[] {
  return options.flatMap((option) => ('value' in option ? [option.value as string] : []));
}
