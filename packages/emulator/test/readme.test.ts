import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as emulator from 'qr-service-emulator';

const README = readFileSync(join(__dirname, '../README.md'), 'utf8');

/** The example for jest, run here unchanged. */
const LINES = /^## For CI$.*?```js\n(.*?)```/ms.exec(README)?.[1] ?? '';

describe("the README's example for CI", () => {
  const IMPORT = "import { startEmulator } from 'qr-service-emulator';";

  it('imports the package', () => {
    expect(LINES).toContain(IMPORT);
  });

  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the code is the README's own
  const run = new Function('startEmulator', LINES.replace(IMPORT, '')) as (
    start: typeof emulator.startEmulator,
  ) => void;
  run(emulator.startEmulator);
});

test('documents the same options in the README and in --help', async () => {
  const { HELP } = await import('../src/cli/help.ts');
  const inHelp = [...HELP.matchAll(/^ {2}--([\w-]+)/gm)].map(([, name]) => name);
  const inReadme = [...README.matchAll(/^\| `--([\w-]+)/gm)].map(([, name]) => name);
  expect(inHelp.filter((name) => name !== 'help' && name !== 'version')).toEqual(inReadme);
});
