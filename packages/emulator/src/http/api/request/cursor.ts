import { apiFailure } from '../../apiFailure.ts';

/** What a cursor holds: times, and an id where that is the place. */
type CursorValue = number | string;

/** An opaque cursor for places by name. */
export function writeCursor(kind: string, values: Record<string, CursorValue>): string {
  return Buffer.from(JSON.stringify({ kind, ...values })).toString('base64url');
}

/**
 * Reads back a cursor of this kind whose values are like those of `example`.
 * @throws ApiFailure 422 `invalid_cursor` for anything that `writeCursor` did not write
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

/** The refusal of a cursor that can't be used. */
export function invalidCursor(): Error {
  return apiFailure('invalid_cursor', 'The cursor can not be used. Start the list from its beginning.');
}

function parse(cursor: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
