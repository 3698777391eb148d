import {
  invalidParameter,
  showText,
  toOneOf,
  toRequiredText,
  toText,
  toTime,
  toWebAddress,
  toWholeNumber,
  toYesNo,
  type ParameterInfo,
} from '@qr-service/core/connector';

/** Unread arguments that are named. */
const MAX_UNREAD = 20;
/** Maximum length of such a name. */
const MAX_NAME_LENGTH = 60;

/**
 * The arguments of a call as a model sent them: numbers may be text, null stands for nothing, and fields that don't
 * exist are ignored: see `unread`. Each method throws a ParameterError that names the argument.
 */
export class Arguments {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #place: string;
  readonly #unread: Set<string>;

  /** @param place where the arguments are, for errors, for example ` of row 3` */
  constructor(fields: Readonly<Record<string, unknown>>, place = '') {
    this.#fields = fields;
    this.#place = place;
    this.#unread = new Set(Object.keys(fields));
  }

  /** Names of the arguments that nothing has read: the tool has no such arguments. At most 20, each shortened. */
  get unread(): string[] {
    return [...this.#unread].slice(0, MAX_UNREAD).map((name) => showText(name, MAX_NAME_LENGTH));
  }

  /** Adds what nothing has read inside an argument, for example `rows[].color`. */
  addUnread(names: readonly string[]): void {
    for (const name of names) this.#unread.add(name);
  }

  /** As sent. */
  value(name: string): unknown {
    this.#unread.delete(name);
    return this.#fields[name];
  }

  /** All arguments as sent. */
  all(): Readonly<Record<string, unknown>> {
    this.#unread.clear();
    return this.#fields;
  }

  /** The first of these names whose value isn't empty. */
  firstOf(names: readonly string[]): string | undefined {
    return names.find((name) => {
      const value = this.#fields[name];
      return typeof value === 'string' ? value.trim() !== '' : value !== undefined && value !== null;
    });
  }

  /** Undefined for an empty value. */
  text(name: string): string | undefined {
    return toText(this.value(name), this.#info(name));
  }

  /** The same for a required text. */
  requiredText(name: string): string {
    return toRequiredText(this.value(name), this.#info(name));
  }

  /** A required absolute URL; `https://` may be missing. */
  webAddress(name: string): string {
    return toWebAddress(this.value(name), this.#info(name));
  }

  /** Undefined for an empty value. */
  wholeNumber(name: string, bounds: { min: number; max?: number }): number | undefined {
    return toWholeNumber(this.value(name), { ...this.#info(name), ...bounds });
  }

  /** Undefined for an empty value. */
  yesNo(name: string): boolean | undefined {
    return toYesNo(this.value(name), this.#info(name));
  }

  /** ISO 8601 UTC; undefined for an empty value. */
  time(name: string): string | undefined {
    return toTime(this.value(name), this.#info(name));
  }

  /** Undefined for an empty value. */
  oneOf<Option extends string>(name: string, options: readonly Option[]): Option | undefined {
    return toOneOf(this.value(name), { ...this.#info(name), options });
  }

  /** Throws the error for an invalid value; `expected` completes "must be …". */
  invalid(name: string, expected: string, advice?: string): never {
    throw invalidParameter(this.value(name), this.#info(name), expected, advice);
  }

  #info(name: string): ParameterInfo {
    return { label: `${name}${this.#place}` };
  }
}
