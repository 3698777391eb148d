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

/**
 * One record of an answer: flat, or inside `qr`, `data` or `subscription` where only the inside has an id
 * (API text, "Gaps": the bodies of several answers are not shown). An id that is a number becomes text.
 * Undefined when there is none.
 */
export function readRecord(body: unknown): (JsonObject & { id: string }) | undefined {
  if (!isObject(body)) return undefined;
  const flat = withId(body);
  if (flat !== undefined) return flat;
  for (const key of WRAPPERS) {
    const wrapped = body[key];
    const record = isObject(wrapped) ? withId(wrapped) : undefined;
    if (record !== undefined) return record;
  }
  return undefined;
}

function withId(record: JsonObject): (JsonObject & { id: string }) | undefined {
  const { id } = record;
  if (typeof id === 'number') return { ...record, id: String(id) };
  return text(id) === undefined ? undefined : (record as JsonObject & { id: string });
}
