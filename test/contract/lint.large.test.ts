import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const FORBIDDEN = [
  ['shared/src/index.ts', 'qr-service-emulator'],
  ['shared/src/index.ts', 'n8n-workflow'],
  ['shared/src/client/Paginated.ts', '../../../packages/emulator/src/index.ts'],
  ['packages/n8n-nodes-qr-service/core.ts', 'zapier-qr-service'],
  ['packages/mcp-server/src/main.ts', 'qr-service-probe'],
  ['packages/mcp-server/src/main.ts', '../../../test/support/seed.ts'],
] as const;
const ALLOWED = [
  ['packages/mcp-server/src/main.ts', '@qr-service/core/connector'],
  ['packages/mcp-server/src/main.ts', '@modelcontextprotocol/server'],
  ['packages/mcp-server/src/server/createServerFactory.ts', '../tools/index.ts'],
] as const;

const SHIPPED = ['shared/src/wire/delay.ts', 'packages/zapier-qr-service/src/index.ts'] as const;
const REGULAR_EXPRESSIONS = [
  ['/^(?:a+)+$/', ['regexp/no-super-linear-backtracking']],
  ['/ +$/', ['regexp/no-super-linear-move']],
  ['/(?<! ) +$/', []],
] as const;

const READING = [
  ['packages/n8n-nodes-qr-service/nodes/QrService/actions/router.ts', "it.getNodeParameter('limit', 0)"],
  ['packages/n8n-nodes-qr-service/nodes/QrServicePollingTrigger/poll.ts', 'it.getNode().parameters'],
  ['packages/zapier-qr-service/src/creates/createQrCode.ts', 'it.inputData.name'],
  ['packages/zapier-qr-service/src/client/createClient.ts', "it['authData'].apiKey"],
] as const;
const READERS = [
  ['packages/n8n-nodes-qr-service/nodes/shared/parameters.ts', "it.getNodeParameter('limit', 0)"],
  ['packages/zapier-qr-service/src/inputs/readInputs.ts', 'it.inputData.name'],
] as const;

/** Lints a text in place of each file's content and returns the rules that it breaks, in one process. */
async function lint(texts: readonly (readonly [file: string, text: string])[]): Promise<string[][]> {
  const code = `
    import { ESLint } from 'eslint';
    const eslint = new ESLint({
      ruleFilter: ({ ruleId }) => ruleId.startsWith('no-restricted-') || ruleId.startsWith('regexp/'),
      overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
    });
    const broken = [];
    for (const [filePath, text] of ${JSON.stringify(texts)}) {
      const [{ messages }] = await eslint.lintText(text, { filePath });
      broken.push([...new Set(messages.map(({ ruleId }) => ruleId))].sort());
    }
    console.log(JSON.stringify(broken));`;
  const args = ['--input-type=module', '--eval', code];
  return JSON.parse((await promisify(execFile)(process.execPath, args, { cwd: ROOT })).stdout) as string[][];
}

const importing = ([file, from]: readonly [file: string, from: string]) =>
  [file, `import * as it from '${from}';\nexport { it };\n`] as const;
const matching = SHIPPED.flatMap((file) =>
  REGULAR_EXPRESSIONS.map(([pattern, rules]) => ({ file, pattern, rules })),
);

let broken: string[][];
beforeAll(async () => {
  broken = await lint([
    ...[...FORBIDDEN, ...ALLOWED].map(importing),
    ...matching.map(({ file, pattern }) => [file, `export const it = ${pattern};\n`] as const),
    ...[...READING, ...READERS].map(
      ([file, text]) => [file, `export const read = (it) => ${text};\n`] as const,
    ),
  ]);
});

describe('lint allows imports only from packages to shared', () => {
  it.each(FORBIDDEN)('rejects, in %s, an import of %s', (file, from) => {
    const index = FORBIDDEN.findIndex((pair) => pair[0] === file && pair[1] === from);
    expect(broken[index]).toEqual(['no-restricted-imports']);
  });

  it.each(ALLOWED)('accepts, in %s, an import of %s', (file, from) => {
    const index = ALLOWED.findIndex((pair) => pair[0] === file && pair[1] === from);
    expect(broken[FORBIDDEN.length + index]).toEqual([]);
  });
});

describe('lint rejects regular expressions that need more than linear time', () => {
  it.each(SHIPPED)('in %s', (file) => {
    const found = matching.flatMap((one, index) =>
      one.file === file ? [[one.pattern, broken[FORBIDDEN.length + ALLOWED.length + index]]] : [],
    );
    expect(found).toEqual(REGULAR_EXPRESSIONS);
  });
});

describe("lint allows only an adapter's own module to read parameters", () => {
  const first = FORBIDDEN.length + ALLOWED.length + matching.length;

  it.each(READING.map((row, index) => [...row, index] as const))(
    'rejects, in %s, %s',
    (_file, _text, index) => {
      expect(broken[first + index]).toEqual(['no-restricted-syntax']);
    },
  );

  it.each(READERS.map((row, index) => [...row, index] as const))(
    'accepts, in %s, %s',
    (_file, _text, index) => {
      expect(broken[first + READING.length + index]).toEqual([]);
    },
  );
});
