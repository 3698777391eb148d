import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { atLeast, upTo } from './support/verdict.ts';

test.each([
  [14.99, 'within 15 ms'],
  [15, 'within 15 ms'],
  [15.01, 'over 15 ms'],
  [NaN, 'over 15 ms'],
])('a value of %p is within a maximum or over it', (value, said) => {
  expect(upTo(15, value, ' ms')).toBe(said);
});

test.each([
  [0.91, 'reaches 0.9'],
  [0.9, 'reaches 0.9'],
  [0.89, 'below 0.9'],
  [NaN, 'below 0.9'],
])('a value of %p reaches a minimum or is below it', (value, said) => {
  expect(atLeast(0.9, value)).toBe(said);
});

test('numbers have separators', () => {
  expect([upTo(1500, 1, ' kB'), atLeast(3000, 1, '/s')]).toEqual(['within 1,500 kB', 'below 3,000/s']);
});

test('no benchmark prints these words itself', () => {
  const folder = path.join(__dirname, 'bench');
  const lines = readdirSync(folder).flatMap((file) =>
    readFileSync(path.join(folder, file), 'utf8').split('\n'),
  );
  expect(lines.length).toBeGreaterThan(500);
  // Comments may.
  const printed = lines.filter((line) => !/^\s*(\/\/|\/?\*)/.test(line));
  expect(printed.filter((line) => /\b(within|over|reaches|below|misses|exceeds)\b/i.test(line))).toEqual([]);
});
