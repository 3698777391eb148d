import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import ts from 'typescript';
import { QrServiceClient } from '@qr-service/core';
import { ERROR_CODES, RESPONSE_LIMITS } from '@qr-service/core/connector';
import { undiciTransport } from '@qr-service/core/undici';
import { startEmulator, type Emulator } from 'qr-service-emulator';
import { describeApi } from '../../shared/scripts/describeApi.ts';
import { CORE, readApi, type ApiExport } from '../../shared/scripts/readApi.ts';
import { codeIn } from './support/codeIn.ts';

const api = readApi();
const exportsOf = (entryPoint: string) => api.find(({ name }) => name === entryPoint)!.exports;

describe.each(api)('the entry point $name', ({ exports }) => {
  it('documents every exported name', () => {
    expect(exports).not.toEqual([]);
    expect(exports.filter(({ text }) => text === '').map(({ name }) => name)).toEqual([]);
  });

  it('documents the default of every option', () => {
    const options = exports
      .filter(({ name }) => /(Options|Query|Input|Info)$/.test(name))
      .flatMap(({ name, members }) =>
        members.map((member) => ({ ...member, name: `${name}.${member.name}` })),
      );
    const wrong = options.filter(({ optional, defaultText }) => optional !== Boolean(defaultText));
    expect(wrong.map(({ name }) => name)).toEqual([]);
    expect(exports.flatMap(({ members }) => members).filter(({ text }) => /\bDefault:? /.test(text))).toEqual(
      [],
    );
  });
});

/** Entry points for users of the library. The others are for connectors. */
const LIBRARY = ['@qr-service/core', '@qr-service/core/undici', '@qr-service/core/webhook'].flatMap(
  exportsOf,
);

it('documents every method, property and option of the library', () => {
  const members = LIBRARY.flatMap(({ name, members: own }) =>
    own.map((member) => ({ ...member, name: `${name}: ${member.name}` })),
  );
  expect(members.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['QrServiceClient: webhooks.unsubscribe', 'RetryOptions: budgetMs']),
  );
  const undocumented = members.filter(({ name, text }) => text === '' && !/: new /.test(name));
  expect(undocumented.map(({ name }) => name)).toEqual([]);
});

/** Exports with an example. */
const shown = api.flatMap(({ exports }) =>
  exports.filter(({ examples, firstIn }) => examples.length > 0 && !firstIn),
);

describe('the examples in docstrings', () => {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator();
  });
  afterAll(() => emulator.stop());

  it('show every function, every constant and the client', () => {
    const isUsed = ({ kind, name }: ApiExport) =>
      kind === 'function' || kind === 'constant' || name === 'QrServiceClient';
    const used = LIBRARY.filter(isUsed);
    expect(used.filter(({ examples }) => examples.length === 0).map(({ name }) => name)).toEqual([]);
  });

  it.each(shown)('of $name run, with the results in their comments', async ({ examples }) => {
    for (const example of examples) {
      const code = codeIn(example);
      const expected = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, result]) => result);
      const printed = await run(code, emulator);
      expect(expected.length === 0 ? [] : printed).toEqual(expected);
    }
  });
});

/** Runs an example against the emulator and returns the lines that it prints. */
async function run(code: string, { url: baseUrl, apiKey }: Emulator): Promise<string[]> {
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

describe('the API reference', () => {
  const page = describeApi(api);

  it.each(api)('lists every export of $name once', ({ name, exports }) => {
    const section = page.split(/^## /m).find((part) => part.startsWith(`\`${name}\`\n`))!;
    const listed = [...section.matchAll(/^- `{1,2}(?:\w+ (?=\w))?(\w+)/gm)].map(([, export_]) => export_);
    expect(listed.sort()).toEqual(exports.map((each) => each.name).sort());
  });

  it('shows signature, first sentence and default on one line', () => {
    const lines = page.split('\n');
    expect(lines).toContain(
      '- `verifyWebhook(input: VerifyInput): VerifiedDelivery` — Verifies that a delivery comes from the service and is recent (API text, "Verification rules"), and returns its event.',
    );
    expect(lines).toContain(
      "  - `authHeader?: AuthHeader` — Header that contains the key. Default: `'authorization'`.",
    );
    expect(lines).toContain(
      '  - `qr.get(id: string, options?: CallOptions): Promise<QrCode>` — Fetches a code by its ID.',
    );
  });
});

describe.each(['shared/README.md', 'README.md', 'docs/core.md'])('%s', (file) => {
  const text = readFileSync(`${CORE}../${file}`, 'utf8');
  const imports = [...text.matchAll(/^import \{ (.*) \} from '(@qr-service\/core.*)';$/gm)];

  it('imports every name from an entry point that exports it', () => {
    expect(imports).not.toEqual([]);
    const wrong = imports.flatMap(([, names = '', from = '']) => {
      const exported = exportsOf(from).map(({ name }) => name);
      return names.split(', ').filter((name) => !exported.includes(name));
    });
    expect(wrong).toEqual([]);
  });

  it('links to files and headings that exist', () => {
    const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(
      ([, title = '']) => `#${title.toLowerCase().replaceAll(' ', '-')}`,
    );
    const links = [...text.matchAll(/\]\(([^):]+)\)/g)].map(([, link = '']) => link);
    expect(links).not.toEqual([]);
    const isBroken = (link: string) =>
      link.startsWith('#')
        ? !headings.includes(link)
        : !existsSync(join(dirname(`${CORE}../${file}`), link.split('#', 1)[0]!));
    expect(links.filter(isBroken)).toEqual([]);
  });
});

describe('the README for library users', () => {
  const readme = readFileSync(`${CORE}README.md`, 'utf8');
  const core = new Map(exportsOf('@qr-service/core').map((each) => [each.name, each]));
  const missing = (names: readonly string[]) =>
    names.filter((name) => !new RegExp(`^\\| \`${name}\\b`, 'm').test(readme));

  it.each(['ClientOptions', 'VerifyInput'])('names every option of %s', (name) => {
    const { members } = core.get(name)!;
    expect(members).not.toEqual([]);
    expect(missing(members.map((option) => option.name))).toEqual([]);
  });

  it('names every entry point', () => {
    expect(missing(api.map(({ name }) => name))).toEqual([]);
  });

  it('names every method of the client', () => {
    const names = core.get('QrServiceClient')!.members.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['me', 'qr.create', 'webhooks.unsubscribe', 'rateLimit']));
    expect(missing(names.filter((name) => !name.startsWith('new ')))).toEqual([]);
  });

  it.each(Object.entries(ERROR_CODES))('explains how to handle %s', (code, { status }) => {
    expect(readme).toMatch(new RegExp(`\\| ${status} +\\| \`${code}\``));
  });
});

describe('the details of the core', () => {
  const page = readFileSync(`${CORE}../docs/core.md`, 'utf8');

  it('name only exports for connectors', () => {
    const rows = page.split('## Building a connector')[1]!.matchAll(/^\| (`[^|]+`[^|]*)\|/gm);
    const named = [...rows].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
    );
    expect(named).toContain('describeError');
    const exported = exportsOf('@qr-service/core/connector').map(({ name }) => name);
    expect(named.filter((name) => !exported.includes(name))).toEqual([]);
  });

  it('state the limits of a response, as the README does', () => {
    const { jsonBytes, imageBytes, failureBytes, jsonLevels, cursorLength, emptyPages } = RESPONSE_LIMITS;
    const sizes = [jsonBytes, imageBytes, failureBytes].map((bytes) => `${bytes / 1e6} MB`);
    const counts = [`${jsonLevels} levels`, `${cursorLength.toLocaleString('en')} characters`];
    const pages = emptyPages.toLocaleString('en');
    const bounds = page.split('## Bounds')[1]!.split('\n## ', 1)[0]!;
    expect([...sizes, ...counts, pages].filter((limit) => !bounds.includes(`| ${limit}`))).toEqual([]);
    const readme = readFileSync(`${CORE}README.md`, 'utf8');
    expect(readme).toContain(`${sizes[0]} for JSON, ${sizes[1]} for\nan image, ${pages} empty pages`);
  });
});
