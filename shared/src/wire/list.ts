import { isObject, text, textList, type JsonObject } from './record.ts';
import { unreadable } from './unreadable.ts';

const LIST_KEYS = ['data', 'items', 'results', 'qrs', 'qrCodes', 'codes', 'scans', 'webhooks'] as const;

/** A page as read from the wire. */
export interface WirePage {
  rows: JsonObject[];
  nextCursor?: string;
  allowedDimensions: string[];
}

/**
 * One page of a list. The API text does not name the array that holds the rows ("Endpoints", gaps).
 * @throws QrServiceError `unreadable_response`, naming the keys seen
 */
export function readPage(body: unknown): WirePage {
  const rows = findRows(body) ?? (isObject(body) ? findNestedRows(body) : undefined);
  if (rows === undefined) throw unreadable('list of rows', body);
  const nextCursor = readNextCursor(body);
  return {
    rows,
    allowedDimensions: readAllowedDimensions(body),
    ...(nextCursor === undefined ? {} : { nextCursor }),
  };
}

function findRows(body: unknown): JsonObject[] | undefined {
  if (Array.isArray(body)) return objectRows(body);
  if (!isObject(body)) return undefined;
  for (const key of LIST_KEYS) {
    const rows = objectRows(body[key]);
    if (rows !== undefined) return rows;
  }
  const others = Object.entries(body).filter(
    ([key, value]) => key !== 'allowedDimensions' && objectRows(value)?.length,
  );
  return others.length === 1 ? objectRows(others[0]?.[1]) : undefined;
}

function findNestedRows(body: JsonObject): JsonObject[] | undefined {
  for (const key of LIST_KEYS) {
    const rows = isObject(body[key]) ? findRows(body[key]) : undefined;
    if (rows !== undefined) return rows;
  }
  const others = Object.values(body).filter((value) => isObject(value) && findRows(value) !== undefined);
  return others.length === 1 ? findRows(others[0]) : undefined;
}

function objectRows(value: unknown): JsonObject[] | undefined {
  return Array.isArray(value) && value.every(isObject) ? value : undefined;
}

/** The body and the objects one level down, outermost first. */
function levels(body: unknown): JsonObject[] {
  return isObject(body) ? [body, ...Object.values(body).filter(isObject)] : [];
}

/** Null, empty and missing all end a walk. */
function readNextCursor(body: unknown): string | undefined {
  for (const level of levels(body)) {
    const pagination = isObject(level['pagination']) ? level['pagination'] : level;
    const cursor = pagination['nextCursor'];
    if (typeof cursor === 'number') return String(cursor);
    if (text(cursor) !== undefined) return text(cursor);
  }
  return undefined;
}

function readAllowedDimensions(body: unknown): string[] {
  for (const level of levels(body)) {
    const dimensions = textList(level['allowedDimensions']);
    if (dimensions !== undefined) return dimensions;
  }
  return [];
}
