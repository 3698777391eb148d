import { refuse } from './apiFailure.ts';

/** An opaque cursor for numbers by name. */
export function writeCursor(kind: string, values: Record<string, number>): string {
  return Buffer.from(JSON.stringify({ kind, ...values })).toString('base64url');
}

/**
 * Reads back a cursor of this kind with these numbers.
 * @throws ApiFailure 422 `invalid_cursor` for anything that `writeCursor` did not write
 */
export function readCursor<Name extends string>(
  cursor: string,
  kind: string,
  names: readonly Name[],
): Record<Name, number> {
  const read = parse(cursor);
  const values = Object.fromEntries(names.map((name) => [name, read[name]])) as Record<Name, number>;
  const whole = Object.values<unknown>(values).every((value) => Number.isSafeInteger(value));
  if (!whole || writeCursor(kind, values) !== cursor) throw unusableCursor();
  return values;
}

/** The refusal of a cursor that can't be used. */
export function unusableCursor(): Error {
  return refuse('invalid_cursor', 'The cursor can not be used. Start the list from its beginning.');
}

function parse(cursor: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
