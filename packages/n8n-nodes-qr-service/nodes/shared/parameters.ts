import type {
  IExecuteFunctions,
  IHookFunctions,
  INodeProperties,
  IPollFunctions,
  IWebhookFunctions,
} from 'n8n-workflow';
import { tryToParseDateTime } from 'n8n-workflow';
import {
  locatedValue,
  toFields,
  toJsonObject,
  toKey,
  toOneOf,
  toRequiredText,
  toSeveralOf,
  toText,
  toTime,
  toWholeNumber,
  toYesNo,
  type WholeNumberInfo,
} from '../../core.ts';

/** What reading a parameter needs of its description. */
export type Definition = Pick<
  INodeProperties,
  'displayName' | 'name' | 'default' | 'required' | 'typeOptions' | 'options' | 'noDataExpression'
>;

/** A context of n8n whose parameters don't differ by item. */
type TriggerContext = IHookFunctions | IPollFunctions | IWebhookFunctions;

/**
 * Reads a node's parameters, the only place that does. A parameter may hold whatever an expression or an
 * imported workflow gives. An empty one has its default. Every method throws a `ParameterError` for a value that
 * can't be used.
 */
export class Parameters {
  readonly #valueOf: (path: string) => unknown;
  readonly #timeZone: () => string;

  private constructor(valueOf: (path: string) => unknown, timeZone: () => string) {
    this.#valueOf = valueOf;
    this.#timeZone = timeZone;
  }

  /** The parameters as one item's expressions fill them. */
  static ofItem(context: IExecuteFunctions, itemIndex: number): Parameters {
    return new Parameters(
      (path) => context.getNodeParameter(path, itemIndex, null),
      () => context.getTimezone(),
    );
  }

  /** The parameters of a trigger. */
  static ofTrigger(context: TriggerContext): Parameters {
    return new Parameters(
      (path) => context.getNodeParameter(path, null),
      () => context.getTimezone(),
    );
  }

  /** The parameters inside a collection. */
  in(collection: Definition): Parameters {
    const { name } = collection;
    const fields = toFields(this.#valueOf(name), about(collection)) ?? {};
    // n8n turns the DateTime objects inside a collection into local text; asked for alone they stay what they are.
    return new Parameters((member) => this.#valueOf(`${name}.${member}`) ?? fields[member], this.#timeZone);
  }

  text(definition: Definition): string {
    const value = this.#located(definition);
    const usual = definition.default as string;
    if (definition.required === true && usual === '') return toRequiredText(value, about(definition));
    return toText(value, about(definition)) ?? usual;
  }

  /** The text of a resource locator, or of what stands in place of one; empty where nothing is chosen. */
  located(definition: Definition): string {
    const { name } = definition;
    // Asked for alone for the same reason as a collection's fields.
    const value = this.#valueOf(`${name}.value`) ?? this.#valueOf(name);
    return toText(locatedValue(value), about(definition)) ?? '';
  }

  /** Bounded by the description's `typeOptions`. */
  wholeNumber(definition: Definition, outOfBounds?: WholeNumberInfo['outOfBounds']): number {
    const { minValue = 0, maxValue } = definition.typeOptions ?? {};
    const bounds = { min: minValue, max: maxValue, ...(outOfBounds === undefined ? {} : { outOfBounds }) };
    return (
      toWholeNumber(this.#located(definition), { ...about(definition), ...bounds }) ??
      (definition.default as number)
    );
  }

  yesNo(definition: Definition): boolean {
    return toYesNo(this.#located(definition), about(definition)) ?? (definition.default as boolean);
  }

  oneOf(definition: Definition): string {
    // By the exact value of such a parameter n8n chooses the others that a node has.
    const matchCase = definition.noDataExpression === true;
    const info = { ...about(definition), options: optionsOf(definition), matchCase };
    return toOneOf(this.#located(definition), info) ?? (definition.default as string);
  }

  severalOf(definition: Definition): string[] {
    const info = { ...about(definition), options: optionsOf(definition) };
    return toSeveralOf(this.#located(definition), info) ?? (definition.default as string[]);
  }

  /** A time as ISO 8601 UTC, read in the workflow's time zone where it names none; undefined when it is empty. */
  time(definition: Definition): string | undefined {
    const readLocal = (text: string) => tryToParseDateTime(text, this.#timeZone()).toMillis();
    return toTime(this.#located(definition), { ...about(definition), readLocal });
  }

  /** What tells one item from another; undefined when it is empty. */
  key(definition: Definition): string | undefined {
    return toKey(this.#located(definition), about(definition));
  }

  jsonObject(definition: Definition): Record<string, unknown> {
    return toJsonObject(this.#valueOf(definition.name), about(definition)) ?? {};
  }

  #located({ name }: Definition): unknown {
    return locatedValue(this.#valueOf(name));
  }
}

function about({ displayName }: Definition): { label: string } {
  return { label: displayName };
}

function optionsOf({ options = [] }: Definition): string[] {
  return options.flatMap((option) => ('value' in option ? [option.value as string] : []));
}
