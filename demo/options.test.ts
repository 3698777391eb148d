import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DemoError } from './DemoError.ts';
import { HELP, parseArguments } from './options.ts';
import { openOutput } from './output.ts';

const parse = (...args: string[]) => parseArguments(args, 'sample.csv');

it('has defaults for all options', () => {
  expect(parse()).toEqual({ rows: 'sample.csv', out: 'out' });
});

it('describes every option in --help', () => {
  const names = Object.keys(parse()!);
  expect([...HELP.matchAll(/^ {2}--(\w+)/gm)].map(([, name]) => name)).toEqual([...names, 'help']);
  expect(parse('--help')).toBeUndefined();
});

it.each(['rows', 'out'])('rejects an empty --%s', (name) => {
  expect(() => parse(`--${name}=`)).toThrow(new DemoError(`--${name} must not be empty.`));
});

it('explains an output folder that is a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'out-'));
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(() => openOutput(file)).toThrow(/^The output folder .*file can't be written to \(EEXIST\)\. Choose/);
  expect(() => openOutput(file)).toThrow(DemoError);
  rmSync(folder, { recursive: true });
});
