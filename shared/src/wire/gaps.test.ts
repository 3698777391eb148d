import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const CONTRACT = join(__dirname, '../../contract');
const gaps = readFileSync(join(CONTRACT, 'GAPS.md'), 'utf8');

/** Every `x-gap` of a part of the contract. */
function gapsIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) =>
    key === 'x-gap' ? [String(value).trim()] : gapsIn(value),
  );
}

const marked = [...new Set(gapsIn(parse(readFileSync(join(CONTRACT, 'openapi.yaml'), 'utf8'))))].sort();

it('lists every gap of the contract in GAPS.md once, and no other', () => {
  const listed = [...gaps.matchAll(/^> (.*)$/gm)].map((row) => row[1]!);
  expect(listed.sort()).toEqual(marked);
  expect(marked).toHaveLength(24);
});

it('names only existing readers in GAPS.md', () => {
  const named = new Set(gaps.match(/\b(src\/)?(wire|client|webhook|contract)\/\w+\.ts/g));
  expect(named.size).toBeGreaterThan(10);
  for (const file of named)
    expect([file, existsSync(join(CONTRACT, '../src', file.replace('src/', '')))]).toEqual([file, true]);
});
