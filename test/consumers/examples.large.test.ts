import ts from 'typescript';
import { CORE, EXAMPLES } from './support/examples.ts';

/** Names that examples may use without declaring them. */
const GIVEN = `
  declare const client: import('@qr-service/core').QrServiceClient;
  declare const [baseUrl, apiKey, secret]: [string, string, string];`;

test('the examples in docstrings compile in strict mode', () => {
  const files = new Map([[`${CORE}examples/given.d.ts`, GIVEN]]);
  for (const [at, code] of EXAMPLES)
    files.set(`${CORE}examples/${at.replaceAll(/\W/g, '-')}.ts`, `${code}\nexport {};`);
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
