/** A JSON object. */
export type JsonObject = Record<string, unknown>;

/** Whether a value is a JSON object, not an array or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
    const keys = Object.keys(value);
    return keys.length === 0 ? 'an empty object' : `the keys ${keys.slice(0, 12).join(', ')}`;
  }
  if (value === undefined || value === '') return 'an empty body';
  return value === null ? 'null' : `a ${typeof value}`;
}

const WRAPPERS = ['qr', 'data', 'subscription'] as const;

/**
 * One record of an answer: flat, or inside `qr`, `data` or `subscription` where only the inside has an id
 * (API text, "Gaps": the bodies of several answers are not shown). Undefined when there is none.
 */
export function readRecord(body: unknown): (JsonObject & { id: string }) | undefined {
  if (!isObject(body)) return undefined;
  if (hasId(body)) return body;
  for (const key of WRAPPERS) {
    const inside = body[key];
    if (isObject(inside) && hasId(inside)) return inside;
  }
  return undefined;
}

function hasId(value: JsonObject): value is JsonObject & { id: string } {
  return text(value['id']) !== undefined;
}
