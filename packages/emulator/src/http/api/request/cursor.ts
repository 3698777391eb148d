import { apiFailure } from '../../apiFailure.ts';

/** A value in a cursor: a time, a sequence number or an id. */
type CursorValue = number | string;

/** Encodes named values as an opaque cursor. */
export function writeCursor(kind: string, values: Record<string, CursorValue>): string {
  return Buffer.from(JSON.stringify({ kind, ...values })).toString('base64url');
}

/**
 * Decodes a cursor of this kind. Its values have the names and types of `example`.
 * @throws ApiFailure 422 `invalid_cursor` for anything that `writeCursor` didn't write
 */
export function readCursor<Values extends Record<string, CursorValue>>(
  cursor: string,
  kind: string,
  example: Values,
): Values {
  const read = parse(cursor);
  const names = Object.keys(example);
  const values = Object.fromEntries(names.map((name) => [name, read[name]])) as Values;
  const isValid = names.every(
    (name) =>
      typeof values[name] === typeof example[name] &&
      (typeof values[name] === 'string' || Number.isSafeInteger(values[name])),
  );
  if (!isValid || writeCursor(kind, values) !== cursor) throw invalidCursor();
  return values;
}

/** The failure for a cursor that isn't valid. */
export function invalidCursor(): Error {
  return apiFailure('invalid_cursor', 'The cursor is no longer valid. Start again from the first page.');
}

function parse(cursor: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
