import { join } from 'node:path';
import ts from 'typescript';
import { startEmulator } from 'qr-service-emulator';
import { createN8nEngine, type WorkflowJson } from '../../engines/n8n/index.ts';
import { blocksOf, DOCSTRING_EXAMPLES } from './examples.ts';

const ROOT = join(__dirname, '../..');

/** Names that examples may use without declaring them. */
const GIVEN = `
  declare const client: import('@qr-service/core').QrServiceClient;
  declare const headers: Record<string, string>;
  declare const [baseUrl, apiKey, secret, rawBody]: [string, string, string, string];`;

test('the examples in docstrings and in the README compile in strict mode', () => {
  const examples = [...DOCSTRING_EXAMPLES, ...blocksOf('README.md', 'ts')];
  const files = new Map([[`${ROOT}/test/given.d.ts`, GIVEN]]);
  for (const [at, code] of examples)
    files.set(`${ROOT}/${at.replaceAll(/\W/g, '-')}.ts`, `${code}\nexport {};`);
  expect(files.size).toBeGreaterThan(4);

  const { config } = ts.readConfigFile(`${ROOT}/tsconfig.base.json`, (file) => ts.sys.readFile(file));
  const base = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
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
  const program = ts.createProgram([...files.keys()], options, host);
  const errors = [...files.keys()]
    .flatMap((file) => ts.getPreEmitDiagnostics(program, program.getSourceFile(file)))
    .map(
      ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
  expect(errors).toEqual([]);
});

test('the n8n workflow in the README works when pasted', async () => {
  const emulator = await startEmulator();
  const qrServiceApi = {
    baseUrl: emulator.url,
    apiKey: emulator.apiKey,
    authHeader: 'authorization',
  };
  const engine = await createN8nEngine({
    packageDir: `${ROOT}/packages/n8n-nodes-qr-service`,
    credentials: { qrServiceApi },
  });
  const [, workflow] = blocksOf('README.md', 'json')[0]!;
  const { error, data } = await engine.runWorkflow(JSON.parse(workflow) as WorkflowJson, {
    triggerItems: [{}],
  });
  expect(error).toBeUndefined();
  expect(data['Create']?.[0]?.json).toMatchObject({ name: 'Table 4', status: 'published' });
  expect(data['Download Image']?.[0]?.binary?.['data']).toMatchObject({ mimeType: 'image/png' });
  await emulator.stop();
});
