import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HELP, parseArguments } from './options.ts';
import { openOutput } from './output.ts';
import { DemoError } from './sheet.ts';

it('has defaults for all options', () => {
  expect(parseArguments([])).toEqual({ rows: expect.stringMatching(/sample-rows\.csv$/), out: 'out' });
});

it('describes every option in --help', () => {
  const names = Object.keys(parseArguments(['--help']));
  expect([...HELP.matchAll(/^ {2}--(\w+)/gm)].map(([, name]) => name).sort()).toEqual(names.sort());
});

it.each([
  ['--rows=', /^--rows must not be empty\. /],
  ['--color', /^Unknown option '--color'\. /],
  ['my.csv', /^Unexpected argument 'my\. /],
])('explains what is wrong with %s', (argument, sentence) => {
  expect(() => parseArguments([argument])).toThrow(DemoError);
  expect(() => parseArguments([argument])).toThrow(sentence);
  expect(() => parseArguments([argument])).toThrow(/npm start -- --help\.$/);
});

it('explains an output folder that is a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'out-'));
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(() => openOutput(file)).toThrow(/^The output folder .*file can't be written to \(EEXIST\)\. Choose/);
  expect(() => openOutput(file)).toThrow(DemoError);
  rmSync(folder, { recursive: true });
});
