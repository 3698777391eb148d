import { nestedObjects, readRecord } from './record.ts';
import { omitUndefined } from '../json/omitUndefined.ts';
import { isObject, text, textList, type JsonObject } from '../json/values.ts';
import { looksLikeCode } from './qrCode.ts';
import { RESPONSE_LIMITS } from '../contract/limits.ts';
import { LIST_KEYS } from '../contract/wireNames.ts';
import { unreadableResponse } from './unreadableResponse.ts';

const NOT_ROWS = 'allowedDimensions';

/** A page as read from the wire. */
interface WirePage {
  rows: JsonObject[];
  nextCursor?: string;
  allowedDimensions: string[];
}

/**
 * Reads one page of a list. The API text doesn't name the array that contains the rows ("Endpoints", gaps).
 * @throws QrServiceError `unreadable_response`, naming the keys found
 */
export function readPage(body: unknown): WirePage {
  const rows = findRows(body);
  if (rows === undefined) throw unreadableResponse('a list of rows', body);
  return {
    rows,
    allowedDimensions: readAllowedDimensions(body),
    ...omitUndefined({ nextCursor: readNextCursor(body) }),
  };
}

/**
 * Reads one page of codes: each row is a code, flat or wrapped, with an ID.
 * @throws QrServiceError `unreadable_response`, naming the keys found
 */
export function readQrCodePage(body: unknown): WirePage {
  const page = readPage(body);
  const rows = page.rows.map((row) => {
    const record = readRecord(row, looksLikeCode);
    if (record === undefined) throw unreadableResponse('an ID in each row of the list', row);
    return record;
  });
  return { ...page, rows };
}

/** Looks for known names first, at the top and one level down, then for an unknown name, if there is only one. */
function findRows(body: unknown): JsonObject[] | undefined {
  if (Array.isArray(body)) return objectRows(body);
  if (!isObject(body)) return undefined;
  const nested = nestedObjects(body);
  const known = LIST_KEYS.map((key) => body[key]).filter(isObject);
  return (
    knownRows(body) ??
    only(known, knownRows) ??
    only(nested, knownRows) ??
    onlyRows(body, isEnvelope(body)) ??
    only(nested, (level) => onlyRows(level, isEnvelope(body) || isEnvelope(level)))
  );
}

/** The rows under a known name. A list with rows takes precedence over an empty one. */
function knownRows(level: JsonObject): JsonObject[] | undefined {
  const lists = LIST_KEYS.map((key) => objectRows(level[key])).filter((rows) => rows !== undefined);
  return lists.find((rows) => rows.length > 0) ?? lists[0];
}

/**
 * The rows under any name, if only one array can contain them. An empty array counts as a list only inside a list's
 * envelope.
 */
function onlyRows(level: JsonObject, mayBeEmpty: boolean): JsonObject[] | undefined {
  // If a known name contains something else, no other array at this level can be the rows.
  if (LIST_KEYS.some((key) => Array.isArray(level[key]))) return undefined;
  const lists = Object.entries(level)
    .filter(([key]) => key !== NOT_ROWS)
    .map(([, value]) => objectRows(value))
    .filter((rows) => rows !== undefined);
  const [rows, other] = lists;
  return other === undefined && (mayBeEmpty || rows?.length !== 0) ? rows : undefined;
}

/** The result of `find`, if it finds something in exactly one level. */
function only(
  levels: JsonObject[],
  find: (level: JsonObject) => JsonObject[] | undefined,
): JsonObject[] | undefined {
  const found = levels.map(find).filter((rows) => rows !== undefined);
  return found.length === 1 ? found[0] : undefined;
}

function isEnvelope(level: JsonObject): boolean {
  return isObject(level['pagination']) || Array.isArray(level[NOT_ROWS]);
}

function objectRows(value: unknown): JsonObject[] | undefined {
  return Array.isArray(value) && value.every(isObject) ? value : undefined;
}

/** The body and the objects one level down, outermost first. */
function levels(body: unknown): JsonObject[] {
  return isObject(body) ? [body, ...nestedObjects(body)] : [];
}

/** Null, empty and missing all end a list. Anything else that isn't text is an error, as rows would be lost. */
function readNextCursor(body: unknown): string | undefined {
  const all = levels(body);
  const envelopes = all.map((level) => level['pagination']).filter(isObject);
  const holder = [...envelopes, ...all].find((level) => Object.hasOwn(level, 'nextCursor'));
  const cursor = holder?.['nextCursor'] ?? '';
  if (typeof cursor === 'number') return String(cursor);
  if (typeof cursor !== 'string' || cursor.length > RESPONSE_LIMITS.cursorLength)
    throw unreadableResponse('a valid cursor', cursor);
  return text(cursor);
}

function readAllowedDimensions(body: unknown): string[] {
  for (const level of levels(body)) {
    const dimensions = textList(level[NOT_ROWS]);
    if (dimensions !== undefined) return dimensions;
  }
  return [];
}
