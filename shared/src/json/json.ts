/** A JSON object. */
export type JsonObject = Record<string, unknown>;

/** Whether a value is a JSON object, not an array or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is a string that isn't empty, else undefined. */
export function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The value if it is an array of strings, else undefined. */
export function textList(value: unknown): string[] | undefined {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string') ? value : undefined;
}

/** An object type in which keys that may be undefined are optional instead. */
type DefinedValues<T> = {
  [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key];
} & { [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined> };

/** Copies an object without the keys whose value is undefined. */
export function omitUndefined<T extends object>(object: T): DefinedValues<T> {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as DefinedValues<T>;
}

/** Serializes a value with sorted keys, so that equal values result in equal text. */
export function stableJson(value: object): string {
  return JSON.stringify(value, (_key, inside: unknown) =>
    isObject(inside)
      ? Object.fromEntries(Object.entries(inside).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inside,
  );
}
