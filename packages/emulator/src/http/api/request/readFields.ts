import type { FieldCheck } from '../../../validation/checks.ts';
import { validationFailure } from '../../apiFailure.ts';

/**
 * Parses a JSON object and checks each field. A name with a dot is a nested field.
 * @throws ApiFailure 422 naming every invalid field
 */
export function readFields<Name extends string>(
  text: string,
  checks: Record<Name, FieldCheck>,
): Record<Name, unknown> {
  const body = parseObject(text);
  const names = Object.keys(checks) as Name[];
  const values = Object.fromEntries(names.map((name) => [name, valueAt(body, name)])) as Record<
    Name,
    unknown
  >;
  const problems: Record<string, string> = {};
  for (const name of names) {
    const problem = values[name] === undefined ? 'is missing' : checks[name](values[name]);
    if (problem !== undefined) problems[name] = problem;
  }
  if (Object.keys(problems).length > 0) throw validationFailure(problems);
  return values;
}

function parseObject(text: string): Record<string, unknown> {
  if (text.trim() === '') throw validationFailure({ body: 'is empty; send a JSON object' });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw validationFailure({ body: 'is not valid JSON' });
  }
  if (!isObject(value)) throw validationFailure({ body: 'must be a JSON object' });
  return value;
}

function valueAt(body: Record<string, unknown>, path: string): unknown {
  let value: unknown = body;
  for (const name of path.split('.'))
    value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
