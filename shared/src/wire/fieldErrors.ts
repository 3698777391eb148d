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
  'key',
  'name',
];
const AMBIGUOUS = ['key', 'name'];
/** Keys in a field error that may contain the reason. */
const REASONS = ['message', 'reason', 'detail', 'msg', 'description', 'error', 'issue', 'problem', 'title'];
/** Parts of a path that say where the field was sent, not which field it is. */
const PLACES = new Set(['', '$', '#', 'body', 'query', 'params', 'input', 'data', 'request']);

const MAX_ERRORS = 20;
const MAX_LEVELS = 5;
const MAX_NAME_LENGTH = 60;
const MAX_REASON_LENGTH = 300;

/**
 * Reads the field errors of an error response. The API text doesn't show the shape of `details` ("Errors", gaps).
 * Supported are a map from fields to messages, flat or nested; a list of objects, each with a field and a message;
 * either of them in a wrapper; a single such object; and a message alone that names a field. Empty if there are none.
 */
export function readFieldErrors(details: JsonObject | undefined, message: string): FieldError[] {
  const found = details === undefined ? [] : readErrors(details, [], false, MAX_LEVELS);
  const named = found.filter(({ path }) => path.length > 0);
  if (named.length > 0) return named.slice(0, MAX_ERRORS);
  return fromMessages([...found.flatMap(({ reason }) => reason ?? []), message]);
}

/**
 * Reads the errors in a value. With `isMap`, inside a wrapper or a field, every key is a field's name; otherwise only a
 * known name is.
 */
function readErrors(value: unknown, path: string[], isMap: boolean, levels: number): FieldError[] {
  if (typeof value === 'string') {
    // A list of fields alone, without reasons.
    const named = path.length === 0 ? (locationIn(value) ?? []) : [];
    return [isInputField(named.at(-1)) ? { path: named } : fieldError(path, value)];
  }
  if (levels === 0 || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    const errors = value.slice(0, MAX_ERRORS).flatMap((entry) => readErrors(entry, path, isMap, levels - 1));
    // Several messages about one field count as one error.
    const [first] = errors;
    return value.every((entry) => typeof entry === 'string') && path.length > 0 && first ? [first] : errors;
  }
  if (!isObject(value)) return [];
  const single = readSingle(value, path);
  if (single !== undefined) return [single];
  const wrapped = WRAPPERS.filter((key) => typeof value[key] === 'object' && value[key] !== null);
  if (wrapped.length > 0 && !isMap)
    return wrapped.flatMap((key) => readErrors(value[key], path, key !== 'details', levels - 1));
  return Object.entries(value)
    .slice(0, MAX_ERRORS)
    .flatMap(([key, inside]) => {
      const at = [...path, ...readPath(key)];
      return isMap || isInputField(at.at(-1)) ? readErrors(inside, at, true, levels - 1) : [];
    });
}

/** Reads an object about one field: `{ field, message }` in many spellings. */
function readSingle(value: JsonObject, path: string[]): FieldError | undefined {
  const reason = REASONS.map((key) => reasonIn(value[key])).find((found) => found !== undefined);
  const location = LOCATIONS.map((key) => {
    const found = locationIn(value[key]);
    // The name of a field, or a field called `name`?
    return AMBIGUOUS.includes(key) && !isInputField(found?.at(-1)) ? undefined : found;
  }).find((found) => found !== undefined);
  if (location !== undefined && (reason !== undefined || isInputField(location.at(-1))))
    return fieldError(location, reason);
  // Inside a field, any other reason is about that field.
  return path.length > 0 && reason !== undefined ? fieldError(path, reason) : undefined;
}

function reasonIn(value: unknown): string | undefined {
  return text(value) ?? (Array.isArray(value) ? text(value[0]) : undefined);
}

function locationIn(value: unknown): string[] | undefined {
  if (isObject(value)) return locationIn(value['pointer'] ?? value['parameter'] ?? value['path']);
  const parts =
    Array.isArray(value) && value.every((part) => typeof part === 'string' || typeof part === 'number')
      ? value.map(String)
      : typeof value === 'string'
        ? [value]
        : [];
  if (parts.some((part) => /\s/.test(part))) return undefined;
  const path = parts.flatMap(readPath);
  return path.length === 0 ? undefined : path;
}

/**
 * The names in a path, in any notation: `content.targetUrl`, `/content/targetUrl`, `content[targetUrl]`,
 * `["content","targetUrl"]`.
 */
function readPath(path: string): string[] {
  const names = path.split(/[./[\]"'`,\s]+/).map((name) => clip(name, MAX_NAME_LENGTH).trim());
  return names.filter((name) => !PLACES.has(name) && !/^\d+$/.test(name));
}

function isInputField(name: string | undefined): name is InputField {
  return INPUT_FIELDS.some((field) => field === name);
}

function fieldError(path: string[], reason: string | undefined): FieldError {
  const cleaned = reason === undefined ? '' : withoutName(reason, path);
  return cleaned === '' ? { path } : { path, reason: cleaned };
}

/** A reason without the field's name in front: `content.targetUrl must be …`, `"url" is required`. */
function withoutName(reason: string, path: string[]): string {
  const words = clip(reason, MAX_REASON_LENGTH).trim().split(/\s+/);
  const [first = ''] = words;
  const named = readPath(first.replace(/:$/, ''));
  const isName = named.length > 0 && named.at(-1) === path.at(-1);
  return (isName ? words.slice(1) : words).join(' ');
}

/** Names that are also English words count only at the beginning of a message, before a verb or a colon, or quoted. */
const LEADING_NAME =
  /^["'`]?([\w$./[\]]{2,60})["'`]?(?::| (?:must|is|isn't|are|should|can't|cannot|has|may|does|doesn't|needs|was|required|invalid)\b)/;
const QUOTED_NAME = /["'`]([\w$./[\]]{2,60})["'`]/;
const TECHNICAL_NAME = /\b(?:content\.\w{2,40}|targetUrl|contentType|eventTypes|updatedSince)\b/;

/** The first field that any of the messages names. */
function fromMessages(messages: readonly string[]): FieldError[] {
  for (const message of messages) {
    const start = clip(message, MAX_REASON_LENGTH).trim();
    const names = [
      LEADING_NAME.exec(start)?.[1],
      TECHNICAL_NAME.exec(start)?.[0],
      QUOTED_NAME.exec(start)?.[1],
    ];
    for (const name of names) {
      const path = readPath(name ?? '');
      if (path.some(isInputField)) return [fieldError(path, start)];
    }
  }
  return [];
}
