import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DemoError } from './DemoError.ts';
import { HELP, parseArguments } from './options.ts';
import { openOutput } from './output.ts';

const parse = (...args: string[]) => parseArguments(args, 'sample.csv');

it('has defaults for all options', () => {
  expect(parse()).toEqual({ rows: 'sample.csv', db: undefined, port: 4010, out: 'out' });
});

it('describes every option in --help', () => {
  const names = Object.keys(parse()!);
  expect([...HELP.matchAll(/^ {2}--(\w+)/gm)].map(([, name]) => name)).toEqual([...names, 'help']);
  expect(parse('--help')).toBeUndefined();
});

it.each(['rows', 'db', 'port', 'out'])('rejects an empty --%s', (name) => {
  expect(() => parse(`--${name}=`)).toThrow(new DemoError(`--${name} must not be empty.`));
});

it.each(['65536', '99999', '-1', '4010.5', '0x10'])('rejects the port %s', (port) => {
  expect(() => parse(`--port=${port}`)).toThrow(
    new DemoError(`--port must be a number from 0 to 65535, not ${port}.`),
  );
});

it('explains an output folder that is a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'out-'));
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(() => openOutput(file)).toThrow(/^The output folder .*file can't be written to \(EEXIST\)\. Choose/);
  expect(() => openOutput(file)).toThrow(DemoError);
  rmSync(folder, { recursive: true });
});
