import {
  invalidParameter,
  ParameterError,
  showText,
  toOneOf,
  toNewName,
  toRequiredText,
  toText,
  toTime,
  toWebAddress,
  toWholeNumber,
  toYesNo,
} from '@qr-service/core/connector';
import * as z from 'zod';

/** Rows of one call. */
export const MAX_ROWS = 100;

/** An argument of a tool, or a field of a row. */
export interface Argument<Value = unknown> {
  /** What clients see. */
  schema: z.ZodType;
  /** Reads what a model sent: numbers may be text, null stands for nothing. Throws a ParameterError. */
  read: (value: unknown, info: { label: string }) => Value;
}

/** The arguments of a tool, or the fields of a row, by name. */
export type ArgumentsSpec = Readonly<Record<string, Argument>>;

/** What is read for them. */
export type Values<Spec extends ArgumentsSpec> = { [Name in keyof Spec]: ReturnType<Spec[Name]['read']> };

const argument = <Value>(
  description: string,
  schema: z.ZodType,
  read: Argument<Value>['read'],
): Argument<Value> => ({ schema: schema.describe(description), read });

/** A text, if it isn't empty. */
export const text = (description: string) => argument(description, z.string().optional(), toText);

/** A text that must not be empty. */
export const requiredText = (description: string) => argument(description, z.string(), toRequiredText);

/** The name of a new code. */
export const newName = (description: string) => argument(description, z.string(), toNewName);

/** A required absolute URL; `https://` may be missing. */
export const webAddress = (description: string) => argument(description, z.string(), toWebAddress);

/** A boolean. */
export const yesNo = (description: string) => argument(description, z.boolean().optional(), toYesNo);

/** A time in ISO 8601, read as UTC. */
export const time = (description: string) => argument(description, z.string().optional(), toTime);

/** A whole number within bounds. */
export const wholeNumber = (description: string, { min, max = Infinity }: { min: number; max?: number }) =>
  argument(
    description,
    z.int().min(min).max(Math.min(max, Number.MAX_SAFE_INTEGER)).optional(),
    (value, info) => toWholeNumber(value, { ...info, min, max }),
  );

/** One of some texts. */
export const oneOf = <Option extends string>(description: string, options: readonly Option[]) =>
  argument(description, z.enum(options).optional(), (value, info) => toOneOf(value, { ...info, options }));

/** An array, which some models send as JSON text. Its items are read one by one, so that each can fail alone. */
export function list(description: string, item: z.ZodType): Argument<unknown[]> {
  return {
    schema: z.array(item).min(1).max(MAX_ROWS).describe(description),
    read(value, info) {
      const isJson = typeof value === 'string' && /^\s*[[{]/.test(value);
      const items = [(isJson ? parseJson(value) : value) ?? []].flat();
      if (items.length > 0 && items.length <= MAX_ROWS) return items;
      const advice = 'Split longer lists into several calls.';
      throw invalidParameter(items.length, info, `an array of 1 to ${MAX_ROWS} items`, advice);
    },
  };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

/** The schema of an object with these fields. */
export function objectSchema(spec: ArgumentsSpec): z.ZodObject {
  return z.object(Object.fromEntries(Object.entries(spec).map(([name, { schema }]) => [name, schema])));
}

/** The argument `rows`: an array of objects with these fields. */
export const rowsArgument = (row: ArgumentsSpec) => list('One row for each code.', objectSchema(row));

/**
 * Reads the arguments of a call or the fields of a row.
 * @param owner what has them, for errors
 * @throws ParameterError for an invalid one, and for one that doesn't exist: a model may rely on it
 */
export function readArguments<Spec extends ArgumentsSpec>(spec: Spec, given: unknown, owner: string) {
  const names = Object.keys(spec);
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalidParameter(given, { label: owner }, `an object with ${names.join(', ')}`);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const parameter = showText(unknown, 60);
    const advice = names.length === 0 ? 'Leave it out.' : `Use only ${names.join(', ')}.`;
    const message = `${owner} has no argument "${parameter}".`;
    throw new ParameterError(message, { code: 'invalid_input', parameter, advice });
  }
  const fields = given as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(spec).map(([name, { read }]) => [name, read(fields[name], { label: name })]),
  ) as Values<Spec>;
}
