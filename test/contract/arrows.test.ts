import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const FORBIDDEN = [
  ['shared/src/index.ts', 'qr-service-emulator'],
  ['shared/src/index.ts', 'n8n-workflow'],
  ['shared/src/client/walk.ts', '../../../packages/emulator/src/index.ts'],
  ['packages/zapier-qr-service/src/index.ts', 'qr-service-emulator'],
  ['packages/n8n-nodes-qr-service/core.ts', 'zapier-qr-service'],
  ['packages/n8n-nodes-qr-service/nodes/shared/createClient.ts', '../../../zapier-qr-service/src/index.ts'],
  ['packages/emulator/src/index.ts', '../../../engines/n8n/index.ts'],
] as const;
const ALLOWED = [
  ['packages/zapier-qr-service/src/index.ts', '@qr-service/core'],
  ['packages/emulator/src/index.ts', '@qr-service/core'],
  ['engines/n8n/index.ts', 'qr-service-emulator'],
] as const;

/** Lints an import in place of each file's content and gives the rules that it breaks, in one process. */
async function lint(imports: readonly (readonly [file: string, from: string])[]): Promise<string[][]> {
  const code = `
    import { ESLint } from 'eslint';
    const eslint = new ESLint({
      ruleFilter: ({ ruleId }) => ruleId === 'no-restricted-imports',
      overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
    });
    const broken = [];
    for (const [filePath, from] of ${JSON.stringify(imports)}) {
      const [{ messages }] = await eslint.lintText(\`import * as it from '\${from}';\\nexport { it };\\n\`, { filePath });
      broken.push(messages.map(({ ruleId }) => ruleId));
    }
    console.log(JSON.stringify(broken));`;
  const args = ['--input-type=module', '--eval', code];
  return JSON.parse((await promisify(execFile)(process.execPath, args, { cwd: ROOT })).stdout) as string[][];
}

describe('lint keeps the arrows: packages → shared, never across, never back', () => {
  let broken: string[][];
  beforeAll(async () => {
    broken = await lint([...FORBIDDEN, ...ALLOWED]);
  }, 60_000);

  it.each(FORBIDDEN)('%s may not import %s', (file, from) => {
    const index = FORBIDDEN.findIndex((pair) => pair[0] === file && pair[1] === from);
    expect(broken[index]).toEqual(['no-restricted-imports']);
  });

  it.each(ALLOWED)('%s may import %s', (file, from) => {
    const index = ALLOWED.findIndex((pair) => pair[0] === file && pair[1] === from);
    expect(broken[FORBIDDEN.length + index]).toEqual([]);
  });
});
