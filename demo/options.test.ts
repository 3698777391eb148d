import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HELP, parseArguments } from './options.ts';
import { openOutput } from './output.ts';
import { DemoError } from './sheet.ts';

it('has defaults for all options', () => {
  const defaults = { rows: expect.stringMatching(/sample-rows\.csv$/) as string, out: 'out' };
  for (const keep of [true, false]) {
    expect(parseArguments([], keep)).toEqual({ ...defaults, keep });
    expect(parseArguments(['--keep'], keep).keep).toBe(true);
    expect(parseArguments(['--no-keep'], keep).keep).toBe(false);
  }
});

it('describes every option in --help', () => {
  const names = Object.keys(parseArguments(['--help'], false));
  expect([...HELP.matchAll(/^ {2}--(\w+)/gm)].map(([, name]) => name).sort()).toEqual(names.sort());
});

it.each([
  ['--rows=', /^--rows must not be empty\. /],
  ['--keep=maybe', /^Option '--keep' does not take an argument\. /],
  ['--color', /^Unknown option '--color'\. /],
  ['my.csv', /^Unexpected argument 'my\. /],
])('explains what is wrong with %s', (argument, sentence) => {
  expect(() => parseArguments([argument], false)).toThrow(DemoError);
  expect(() => parseArguments([argument], false)).toThrow(sentence);
  expect(() => parseArguments([argument], false)).toThrow(/npm start -- --help\.$/);
});

describe('an output folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'out-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('must not be a file', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(() => openOutput(file)).toThrow(
      /^The output folder .*file can't be written to \(EEXIST\)\. Choose/,
    );
    expect(() => openOutput(file)).toThrow(DemoError);
  });

  it.each(['codes', 'codes.csv', 'events.csv', 'scans.csv', 'index.html'])(
    'is refused if it has a %s that the demo did not write',
    (name) => {
      if (name === 'codes') mkdirSync(join(folder, name));
      else writeFileSync(join(folder, name), 'mine');
      for (const _ of [1, 2]) expect(() => openOutput(folder)).toThrow(DemoError);
      const message = `The output folder ${folder} has a ${name} that this demo didn't write. Choose another with --out.`;
      expect(() => openOutput(folder)).toThrow(message);
      expect(readdirSync(folder)).toEqual([name]);
    },
  );

  it('may have other files, which stay when the results of the last run are removed', () => {
    writeFileSync(join(folder, 'my.csv'), 'mine');
    const names = () => readdirSync(folder).filter((name) => !name.startsWith('.'));
    openOutput(folder).file('codes.csv', '');
    expect(names()).toEqual(['codes', 'codes.csv', 'my.csv']);
    openOutput(folder);
    expect(names()).toEqual(['codes', 'my.csv']);
  });
});
