import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { createN8nEngine, type WorkflowJson } from '../../engines/n8n/index.ts';
import { installTool } from '../../scripts/tools/install.ts';
import { example } from './support/workflows.ts';
import { PACKAGE_DIR } from './support/world.ts';

/** The parts of n8n's workflow SDK that are used here. */
interface Sdk {
  setSchemaBaseDirs(dirs: string[]): void;
  validateWorkflow(workflow: WorkflowJson): { errors: Issue[]; warnings: Issue[] };
}
interface Generator {
  orchestrateGeneration(options: { nodes: INodeTypeDescription[]; outputDir: string }): Promise<unknown>;
}
interface Issue {
  code: string;
}

const outputDir = mkdtempSync(join(tmpdir(), 'qr-service-sdk-'));
let sdk: Sdk;
let descriptions: INodeTypeDescription[];

beforeAll(async () => {
  const load = createRequire(join(await installTool('workflow-sdk'), 'package.json'));
  sdk = load('@n8n/workflow-sdk') as Sdk;
  const { loader } = await createN8nEngine({ packageDir: PACKAGE_DIR, credentials: {} });
  descriptions = loader.types.nodes.map(({ name }) => ({
    ...(loader.getNode(name).type as INodeType).description,
    name: `n8n-nodes-qr-service.${name}`,
  }));
  const generator = load('@n8n/workflow-sdk/scripts/generate-types') as Generator;
  await generator.orchestrateGeneration({ nodes: descriptions, outputDir });
  sdk.setSchemaBaseDirs([outputDir]);
});
afterAll(() => rmSync(outputDir, { recursive: true }));

const examples = readdirSync(join(PACKAGE_DIR, 'examples'))
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.replace('.json', ''));

const problemsOf = (workflow: WorkflowJson) => {
  const { errors, warnings } = sdk.validateWorkflow(workflow);
  return [...errors, ...warnings].map(({ code }) => code);
};

test.each(examples)('the SDK finds no problem in %s', (name) => {
  expect(problemsOf(example(name))).toEqual([]);
});

test('the SDK finds a parameter that an operation does not have', () => {
  const workflow = example('rows-to-printable-codes');
  for (const { parameters } of workflow.nodes)
    if (parameters['operation'] === 'render') parameters['format'] = 'bmp';
  expect(problemsOf(workflow)).toEqual(['INVALID_PARAMETER']);
});

test('the SDK prints a hint for each operation that has one, and for each trigger', () => {
  const files = readdirSync(outputDir, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const printed = files.filter((file) =>
    readFileSync(join(outputDir, file), 'utf8').includes('@builderHint'),
  );
  const operations = ['create', 'find', 'get_all', 'publish', 'render', 'retarget', 'upsert'];
  expect(
    printed.map((file) => file.replace(/^.*n8n-nodes-qr-service./, '').replaceAll('\\', '/')).sort(),
  ).toEqual([
    ...operations.map((operation) => `qrService/v1/resource_qr_code/operation_${operation}.ts`),
    'qrService/v1/resource_scan/operation_get_all.ts',
    'qrServicePollingTrigger/v1.ts',
    'qrServiceTrigger/v1.ts',
  ]);
});
