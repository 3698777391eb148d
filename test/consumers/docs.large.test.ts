import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { CORE, readApi } from '../../shared/scripts/readApi.ts';
import { codeIn } from './support/codeIn.ts';

/** Names that examples may use without declaring them. */
const GIVEN = `
  declare const client: import('@qr-service/core').QrServiceClient;
  declare const [baseUrl, apiKey, secret]: [string, string, string];`;

test('the examples in docstrings compile in strict mode', () => {
  const folder = `${CORE}examples/`;
  const files = new Map([[`${folder}given.d.ts`, GIVEN]]);
  for (const { exports } of readApi())
    for (const { name, examples } of exports)
      for (const [at, example] of examples.entries())
        files.set(`${folder}${name}-${at}.ts`, `${codeIn(example)}\nexport {};`);
  expect(files.size).toBeGreaterThan(10);

  const { config } = ts.readConfigFile(`${CORE}../tsconfig.base.json`, (file) => ts.sys.readFile(file));
  const base = ts.convertCompilerOptionsFromJson(config.compilerOptions, CORE);
  const options = { ...base.options, noEmit: true, noUnusedLocals: false };
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (file) => files.has(file) || disk.fileExists(file),
    getSourceFile: (file, ...rest) => {
      const text = files.get(file);
      return text === undefined
        ? disk.getSourceFile(file, ...rest)
        : ts.createSourceFile(file, text, rest[0]);
    },
  };
  const errors = ts
    .getPreEmitDiagnostics(ts.createProgram([...files.keys()], options, host))
    .map(
      ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
  expect(errors).toEqual([]);
});

test('the API reference check fails for an outdated page, and says what to run', async () => {
  const check = async (file: string) => {
    const args = ['--disable-warning=ExperimentalWarning', `${CORE}scripts/docs.ts`, '--check', file];
    try {
      await promisify(execFile)(process.execPath, args, { env: { ...process.env, NODE_OPTIONS: '' } });
      return 'up to date';
    } catch (error) {
      return (error as { stderr: string }).stderr;
    }
  };
  const folder = await mkdtemp(join(tmpdir(), 'qr-service-docs-'));
  try {
    const page = await readFile(`${CORE}api.md`, 'utf8');
    const copy = join(folder, 'api.md');
    await writeFile(copy, page);
    expect(await check(copy)).toBe('up to date');
    await writeFile(copy, page.replace(/^.*`verifyWebhook.*\n/m, ''));
    expect(await check(copy)).toContain('Run `npm run docs`.');
  } finally {
    await rm(folder, { recursive: true });
  }
});
