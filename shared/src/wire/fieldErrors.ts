import { clip } from '../errors/clip.ts';
import { isObject, text, type JsonObject } from '../json/values.ts';

/** Fields that the client's calls send (API text, "Endpoints" and "Creation input"). */
export const INPUT_FIELDS = [
  'name',
  'mode',
  'contentType',
  'content',
  'targetUrl',
  'url',
  'eventTypes',
  'format',
  'size',
  'limit',
  'cursor',
  'updatedSince',
  'since',
] as const;

/** A field that the client's calls send. */
export type InputField = (typeof INPUT_FIELDS)[number];

/** What the service says about one field of the input. */
export interface FieldError {
  /** Names from the outside in, for example `content` and `targetUrl`. */
  path: string[];
  /** In the service's words, without the field's name at the beginning. */
  reason?: string;
}

/** Keys in details that may contain field errors. */
const WRAPPERS = [
  'fields',
  'errors',
  'issues',
  'violations',
  'invalid',
  'fieldErrors',
  'field_errors',
  'validation',
  'validationErrors',
  'items',
  'details',
];
/** Keys in a field error that may contain the field's name. */
const LOCATIONS = [
  'field',
  'path',
  'param',
  'parameter',
  'property',
  'instancePath',
  'dataPath',
  'pointer',
  'loc',
  'location',
  'source',
];
/** The same, but only next to a reason and for a known name: a map may have a field called `name`. */
const AMBIGUOUS = ['key', 'name'];
/** Keys in a field error that may contain the reason. */
const REASONS = ['message', 'reason', 'detail', 'msg', 'description', 'error', 'issue', 'problem', 'title'];
/** Parts of a path that say where the field was sent, not which field it is. */
const PLACES = new Set(['$', '#', 'body', 'query', 'params', 'input', 'data', 'request']);

const MAX_NAME_LENGTH = 60;
const MAX_REASON_LENGTH = 300;

/**
 * Reads the field errors of an error response, in order; a field may have several. The API text doesn't show the shape
 * of `details` ("Errors", gaps). Supported are a map from fields to messages, flat or nested; a list of objects, each
 * with a field and a message; either of them in a wrapper; a single such object; and a message alone that names a field.
 * Empty if there are none.
 */
export function readFieldErrors(details: JsonObject | undefined, message: string): FieldError[] {
  const found = readErrors(details, [], false);
  const named = found.filter(({ path }) => path.length > 0);
  return named.length > 0 ? named : fromMessages([...found.flatMap(({ reason }) => reason ?? []), message]);
}

/**
 * Reads the errors in a value. With `isMap`, inside a wrapper or a field, every key is a field's name; otherwise only a
 * known name is.
 */
function readErrors(value: unknown, path: string[], isMap: boolean): FieldError[] {
  if (typeof value === 'string') {
    // A list of fields alone, without reasons.
    const names = locationIn(value);
    return [path.length === 0 && isInputField(names.at(-1)) ? { path: names } : fieldError(path, value)];
  }
  if (Array.isArray(value)) return value.flatMap((entry) => readErrors(entry, path, isMap));
  if (!isObject(value)) return [];
  const single = readSingle(value, path);
  if (single !== undefined) return [single];
  const wrapped = isMap ? [] : WRAPPERS.filter((key) => typeof (value[key] ?? '') === 'object');
  if (wrapped.length > 0) return wrapped.flatMap((key) => readErrors(value[key], path, key !== 'details'));
  return Object.entries(value).flatMap(([key, inside]) => {
    const at = [...path, ...readPath(key)];
    return isMap || isInputField(at.at(-1)) ? readErrors(inside, at, true) : [];
  });
}

/** Reads an object about one field: `{ field, message }` in many spellings. */
function readSingle(value: JsonObject, path: string[]): FieldError | undefined {
  const reason = REASONS.flatMap((key) => value[key])
    .map((found) => text(found))
    .find((found) => found !== undefined);
  let location = locationIn(value);
  if (location.length === 0 && reason !== undefined)
    location = AMBIGUOUS.map((key) => locationIn(value[key])).find((at) => isInputField(at.at(-1))) ?? [];
  if (isInputField(location.at(-1)) || (reason !== undefined && location.length > 0))
    return fieldError(location, reason);
  // Inside a field, any other reason is about that field.
  return path.length > 0 && reason !== undefined ? fieldError(path, reason) : undefined;
}

function locationIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(locationIn);
  if (isObject(value))
    return LOCATIONS.map((key) => locationIn(value[key])).find((names) => names.length > 0) ?? [];
  return typeof value === 'string' && !/\s/.test(value) ? readPath(value) : [];
}

/**
 * The names in a path, in any notation: `content.targetUrl`, `/content/targetUrl`, `content[targetUrl]`,
 * `["content","targetUrl"]`.
 */
function readPath(path: string): string[] {
  const names = path.split(/[./[\]"'`,:]/).map((name) => clip(name, MAX_NAME_LENGTH));
  // Positions in a list and empty names are numbers.
  return names.filter((name) => !PLACES.has(name) && Number.isNaN(Number(name)));
}

function isInputField(name: string | undefined): name is InputField {
  return INPUT_FIELDS.some((field) => field === name);
}

/** The reason is without the field's name in front: `content.targetUrl must be …`, `"url" is required`. */
function fieldError(path: string[], reason = ''): FieldError {
  const [first = '', ...rest] = clip(reason, MAX_REASON_LENGTH).match(/\S+/g) ?? [];
  const words = readPath(first).at(-1) === path.at(-1) ? rest : [first, ...rest];
  const cleaned = words.join(' ');
  return cleaned === '' ? { path } : { path, reason: cleaned };
}

/** How a message names a field. English words that are also names count only before a verb or a colon, or quoted. */
const NAMED = [
  /^["'`]?[\w$./[\]]{2,60}["'`]?(?=:| (?:must|is|isn't|are|should|can't|cannot|has|may|does|doesn't|needs|was|required|invalid)\b)/,
  /\b(?:content\.\w{2,40}|targetUrl|contentType|eventTypes|updatedSince)\b/,
  /["'`][\w$./[\]]{2,60}["'`]/,
];

/** The first field that any of the messages names. */
function fromMessages(messages: readonly string[]): FieldError[] {
  for (const message of messages) {
    const start = clip(message, MAX_REASON_LENGTH).trim();
    const paths = NAMED.flatMap((form) => form.exec(start) ?? []).map(readPath);
    const path = paths.find((names) => names.some(isInputField));
    if (path !== undefined) return [fieldError(path, start)];
  }
  return [];
}
