import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmulator } from 'qr-service-emulator';
import { createN8nEngine, type WorkflowJson } from '../../engines/n8n/index.ts';
import { compile } from '../support/process/compile.ts';
import { blocksOf, DOCSTRING_EXAMPLES } from './examples.ts';

const ROOT = join(__dirname, '../..');

/** Names that examples may use without declaring them. */
const GIVEN = `
  declare const client: import('@qr-service/core').QrServiceClient;
  declare const headers: Record<string, string>;
  declare const [baseUrl, apiKey, secret, rawBody]: [string, string, string, string];`;

test('the examples in docstrings and in the README compile in strict mode', async () => {
  const examples = [...DOCSTRING_EXAMPLES, ...blocksOf('README.md', 'ts')];
  expect(examples.length).toBeGreaterThan(3);
  await mkdir(join(ROOT, 'out'), { recursive: true });
  const folder = await mkdtemp(join(ROOT, 'out/examples-'));
  try {
    const config = {
      extends: '../../tsconfig.base.json',
      // The README's examples are in the repository's folder.
      compilerOptions: { noEmit: true, noUnusedLocals: false, rootDirs: ['.', '../..'] },
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    await writeFile(join(folder, 'given.d.ts'), GIVEN);
    for (const [at, code] of examples)
      await writeFile(join(folder, `${at.replaceAll(/\W/g, '-')}.ts`), `${code}\nexport {};`);
    expect(compile(folder)).toBe('');
  } finally {
    await rm(folder, { recursive: true });
  }
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
  expect(data['Create']).toMatchObject([
    { json: { name: 'Table 4', status: 'published' }, binary: { data: { mimeType: 'image/png' } } },
  ]);
  await emulator.stop();
});
