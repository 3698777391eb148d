/** An object type in which keys that may be undefined are optional instead. */
type DefinedValues<T> = {
  [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key];
} & { [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined> };

/**
 * Copies an object without the keys whose value is undefined.
 * @example
 * ```ts
 * import { omitUndefined } from '@qr-service/core/connector';
 *
 * console.log(omitUndefined({ size: undefined, format: 'png' })); // { format: 'png' }
 * ```
 */
export function omitUndefined<T extends object>(object: T): DefinedValues<T> {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as DefinedValues<T>;
}
