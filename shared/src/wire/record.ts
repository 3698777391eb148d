/** A JSON object. */
export type JsonObject = Record<string, unknown>;

/** Whether a value is a JSON object, not an array or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MOST_INSIDE = 20;

/** The objects one level down; of a body with very many, the first ones. */
export function inside(body: JsonObject): JsonObject[] {
  return Object.values(body).filter(isObject).slice(0, MOST_INSIDE);
}

/** A string that says something, else undefined. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The value if it is an array of strings, else undefined. */
export function textList(value: unknown): string[] | undefined {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string') ? value : undefined;
}

/** Names the keys or the kind of a value, for an error that says what was seen. */
export function seen(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
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

const MOST_KEYS = 12;

function firstKeys(value: JsonObject): string[] {
  return Object.keys(value).slice(0, MOST_KEYS);
}

const LONGEST_NAME = 40;

/** Text of the service's own choice, fit for one line of an error: no control characters, at most `most` others. */
export function clip(name: string, most = LONGEST_NAME): string {
  return name.slice(0, most).replaceAll(/\p{C}/gu, ' ');
}

const WRAPPERS = ['qr', 'data', 'subscription'] as const;

/** A JSON object with an id that is text. */
export type Identified = JsonObject & { id: string };

/**
 * One record of an answer (API text, "Gaps": the bodies of several answers are not shown): flat; else inside `qr`,
 * `data` or `subscription`; else inside a wrapper of any other name, if one alone holds an id and what `looksRight`
 * asks for. An id that is a number becomes text. Undefined when there is none, or no telling which one.
 */
export function readRecord(
  body: unknown,
  looksRight: (record: Identified) => boolean = () => true,
): Identified | undefined {
  if (!isObject(body)) return undefined;
  const flat = withId(body);
  if (flat !== undefined) return flat;
  const known = identified(WRAPPERS.map((key) => body[key]));
  const right = known.find(looksRight);
  if (right !== undefined) return right;
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
