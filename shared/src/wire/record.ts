import { clip } from '../errors/clip.ts';
import { isObject, text, type JsonObject } from '../json/values.ts';

/** The objects one level down. */
export function nestedObjects(body: JsonObject): JsonObject[] {
  return Object.values(body).filter(isObject);
}

/** Describes a value by its keys or its type, for an error that says what was found. */
export function describeShape(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) {
    const keys = firstKeys(value).map((key) => {
      const within = isObject(value[key]) ? firstKeys(value[key]).map((name) => clip(name)) : [];
      return within.length === 0 ? clip(key) : `${clip(key)} (${within.join(', ')})`;
    });
    return keys.length === 0 ? 'an empty object' : `the keys ${keys.join(', ')}`;
  }
  if (value === undefined || value === '') return 'an empty body';
  return value === null ? 'null' : `a ${typeof value}`;
}

const MAX_KEYS = 12;

function firstKeys(value: JsonObject): string[] {
  return Object.keys(value).slice(0, MAX_KEYS);
}

const WRAPPERS = ['qr', 'data', 'subscription'] as const;

/** A JSON object with a text ID. */
export type Identified = JsonObject & { id: string };

/**
 * Reads the only record of a response (API text, "Gaps": several bodies aren't shown): flat; or else inside `qr`,
 * `data` or `subscription`; or else inside a wrapper with any other name, if exactly one contains an ID and passes
 * `looksRight`. A numeric ID becomes text. Undefined if there is none, or if it is ambiguous.
 */
export function readRecord(
  body: unknown,
  looksRight: (record: Identified) => boolean = () => true,
): Identified | undefined {
  if (!isObject(body)) return undefined;
  const flat = withId(body);
  if (flat !== undefined) return flat;
  const known = identified(WRAPPERS.map((key) => body[key]));
  const names = Object.keys(body).filter((key) => key !== '__proto__');
  const [only, other] = identified(names.map((key) => body[key])).filter(looksRight);
  return other === undefined ? (only ?? known[0]) : known[0];
}

function identified(values: unknown[]): Identified[] {
  return values.filter(isObject).flatMap((value) => withId(value) ?? []);
}

function withId(record: JsonObject): Identified | undefined {
  const { id } = record;
  if (typeof id === 'number') return { ...record, id: String(id) };
  return text(id) === undefined ? undefined : (record as Identified);
}
