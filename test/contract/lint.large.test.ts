import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const MCP = 'packages/mcp-server/src/main.ts';
const N8N = 'packages/n8n-nodes-qr-service';
const ZAPIER = 'packages/zapier-qr-service/src';

const importing = (file: string, from: string, ...rules: string[]) =>
  [file, `import * as it from '${from}';\nexport { it };\n`, rules] as const;
const matching = (file: string, pattern: string, ...rules: string[]) =>
  [file, `export const it = ${pattern};\n`, rules] as const;
const reading = (file: string, text: string, ...rules: string[]) =>
  [file, `export const read = (it) => ${text};\n`, rules] as const;

/** Texts in place of a file's content, and the rules that they break. */
const CASES = [
  // Imports only from packages to shared
  importing('shared/src/index.ts', 'qr-service-emulator', 'no-restricted-imports'),
  importing('shared/src/index.ts', 'n8n-workflow', 'no-restricted-imports'),
  importing(
    'shared/src/client/Paginated.ts',
    '../../../packages/emulator/src/index.ts',
    'no-restricted-imports',
  ),
  importing(`${N8N}/core.ts`, 'zapier-qr-service', 'no-restricted-imports'),
  importing(MCP, 'qr-service-probe', 'no-restricted-imports'),
  importing(MCP, '../../../test/support/seed.ts', 'no-restricted-imports'),
  importing(MCP, '@qr-service/core/connector'),
  importing(MCP, '@modelcontextprotocol/server'),
  importing('packages/mcp-server/src/server/createServerFactory.ts', '../tools/index.ts'),
  // Regular expressions of linear time
  ...['shared/src/wire/delay.ts', `${ZAPIER}/index.ts`].flatMap((file) => [
    matching(file, '/^(?:a+)+$/', 'regexp/no-super-linear-backtracking'),
    matching(file, '/ +$/', 'regexp/no-super-linear-move'),
    matching(file, '/(?<! ) +$/'),
  ]),
  // Only an adapter's own module reads parameters
  reading(
    `${N8N}/nodes/QrService/router.ts`,
    "it.getNodeParameter('limit', 0)",
    'no-restricted-syntax',
  ),
  reading(`${N8N}/nodes/QrServicePollingTrigger/poll.ts`, 'it.getNode().parameters', 'no-restricted-syntax'),
  reading(`${ZAPIER}/creates/createQrCode.ts`, 'it.inputData.name', 'no-restricted-syntax'),
  reading(`${ZAPIER}/client/createClient.ts`, "it['authData'].apiKey", 'no-restricted-syntax'),
  reading(`${N8N}/nodes/shared/parameters.ts`, "it.getNodeParameter('limit', 0)"),
  reading(`${ZAPIER}/inputs/readInputs.ts`, 'it.inputData.name'),
];

test('lint rejects what crosses layers, takes too long or reads parameters by itself, and accepts the rest', async () => {
  const code = `
    import { ESLint } from 'eslint';
    const eslint = new ESLint({
      ruleFilter: ({ ruleId }) => ruleId.startsWith('no-restricted-') || ruleId.startsWith('regexp/'),
      overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
    });
    const broken = [];
    for (const [filePath, text] of ${JSON.stringify(CASES)}) {
      const [{ messages }] = await eslint.lintText(text, { filePath });
      broken.push([filePath, text, [...new Set(messages.map(({ ruleId }) => ruleId))].sort()]);
    }
    console.log(JSON.stringify(broken));`;
  const args = ['--input-type=module', '--eval', code];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  expect(JSON.parse(stdout)).toEqual(CASES);
});
