import type { FieldCheck } from './checks.ts';

/** A field of the input is invalid. */
export class InputError extends TypeError {
  override readonly name = 'InputError';
  /** Path of the field, for example `codes[0].name`; empty for the whole input. */
  readonly field: string;

  constructor(field: string, problem: string) {
    super(`${field === '' ? 'The input' : field} ${problem}.`);
    this.field = field;
  }
}

/** The fields of an object, each with its check. */
export interface Fields {
  required?: Readonly<Record<string, FieldCheck>>;
  optional?: Readonly<Record<string, FieldCheck>>;
  /** Optional nested objects, each with its own fields. */
  nested?: Readonly<Record<string, Fields>>;
}

/**
 * Checks the fields of an object.
 * @param path path of the object in the input
 * @throws InputError for the first field that is invalid, missing or unknown
 */
export function checkObject(value: unknown, path: string, fields: Fields): void {
  const { required = {}, optional = {}, nested = {} } = fields;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InputError(path, 'must be an object');
  const checks = { ...required, ...optional };
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  for (const [name, field] of Object.entries(value)) {
    if (Object.hasOwn(nested, name)) {
      checkObject(field, at(name), nested[name] ?? {});
      continue;
    }
    if (!Object.hasOwn(checks, name)) throw new InputError(at(name), unknownField(checks, nested));
    const problem = checks[name]?.(field);
    if (problem !== undefined) throw new InputError(at(name), problem);
  }
  const missing = Object.keys(required).find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) throw new InputError(at(missing), 'is missing');
}

function unknownField(...known: object[]): string {
  const names = known.flatMap((fields) => Object.keys(fields));
  return names.length === 0 ? 'is not expected' : `isn't a known field; use one of: ${names.join(', ')}`;
}
