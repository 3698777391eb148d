import { invalid } from '../http/apiFailure.ts';

/** A check of one field: its problem, or undefined where it is fine. */
export type FieldCheck = (value: unknown) => string | undefined;

const LONGEST_URL = 2048;

/**
 * Reads a JSON object and holds each field against its check; a name with a dot is a field inside one.
 * @throws ApiFailure 422 naming every field that is wrong
 */
export function readFields<Name extends string>(
  text: string,
  checks: Record<Name, FieldCheck>,
): Record<Name, unknown> {
  const body = parseObject(text);
  const names = Object.keys(checks) as Name[];
  const values = Object.fromEntries(names.map((name) => [name, at(body, name)])) as Record<Name, unknown>;
  const problems: Record<string, string> = {};
  for (const name of names) {
    const problem = values[name] === undefined ? 'is missing' : checks[name](values[name]);
    if (problem !== undefined) problems[name] = problem;
  }
  if (Object.keys(problems).length > 0) throw invalid(problems);
  return values;
}

/** Checks for a text of 1 to `most` characters that is not blank. */
export function isText(most: number): FieldCheck {
  return (value) => {
    if (typeof value !== 'string' || value.trim() === '') return 'must be a text';
    return value.length > most ? `must have at most ${most} characters` : undefined;
  };
}

/** Checks for one of these values. */
export function isOneOf(known: readonly unknown[]): FieldCheck {
  return (value) => (known.includes(value) ? undefined : `must be one of: ${known.join(', ')}`);
}

/** Checks for an absolute http or https URL. */
export const isAbsoluteUrl: FieldCheck = (value) => {
  if (
    typeof value !== 'string' ||
    value.length > LONGEST_URL ||
    !/^https?:\/\/\S+$/i.test(value) ||
    !URL.canParse(value)
  )
    return `must be an absolute URL with http or https, of at most ${LONGEST_URL} characters`;
  return undefined;
};

function parseObject(text: string): Record<string, unknown> {
  if (text.trim() === '') throw invalid({ body: 'is empty; send a JSON object' });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid({ body: 'is not valid JSON' });
  }
  if (!isObject(value)) throw invalid({ body: 'must be a JSON object' });
  return value;
}

function at(body: Record<string, unknown>, path: string): unknown {
  let value: unknown = body;
  for (const name of path.split('.'))
    value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
