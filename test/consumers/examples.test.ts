import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import ts from 'typescript';
import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { startEmulator, type Emulator } from 'qr-service-emulator';
import { CORE, EXAMPLES } from './support/examples.ts';

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator();
});
afterAll(() => emulator.stop());

it.each(EXAMPLES)('the example at %s runs, with the results in its comments', async (_at, code) => {
  const expected = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, result]) => result);
  const printed = await run(code);
  expect(expected.length === 0 ? [] : printed).toEqual(expected);
});

/** Runs an example against the emulator and returns the lines that it prints. */
async function run(code: string): Promise<string[]> {
  const { url: baseUrl, apiKey } = emulator;
  const printed: string[] = [];
  const print = (...values: unknown[]) =>
    printed.push(values.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' '));
  const given = {
    client: new QrServiceClient({ baseUrl, apiKey, transport: undiciTransport() }),
    ...{ baseUrl, apiKey, secret: 'a secret' },
    ...{ console: { log: print }, require, exports: {} },
  };
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 };
  const { outputText } = ts.transpileModule(code, { compilerOptions });
  const { constructor: AsyncFunction } = Object.getPrototypeOf(run) as {
    constructor: new (...text: string[]) => (...values: unknown[]) => Promise<void>;
  };
  // In its own block, as an example may declare one of the given names.
  await new AsyncFunction(...Object.keys(given), `{ ${outputText} }`)(...Object.values(given));
  return printed;
}

it.each(['shared/README.md', 'README.md', 'docs/core.md'])(
  '%s imports every name from an entry point that exports it',
  async (file) => {
    const text = readFileSync(`${CORE}../${file}`, 'utf8');
    const imports = [...text.matchAll(/^import \{ (.*) \} from '(@qr-service\/core.*)';$/gm)];
    expect(imports).not.toEqual([]);
    for (const [, names = '', from = ''] of imports) {
      const exported = Object.keys((await import(from)) as object);
      expect(exported).toEqual(expect.arrayContaining(names.split(', ')));
    }
  },
);
