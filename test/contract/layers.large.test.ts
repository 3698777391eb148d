import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DEPCRUISE = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');

/** A folder, and one of a higher or the same layer that it must not import. */
const BACKWARD = [
  ['shared/src', 'errors', 'wire'],
  ['shared/src', 'client', 'webhook'],
  ['shared/src', 'webhook', 'connector'],
  ['packages', 'emulator', 'n8n-nodes-qr-service'],
  ['packages/n8n-nodes-qr-service/nodes', 'QrServiceTrigger', 'QrServicePollingTrigger'],
  ['packages/zapier-qr-service/src', 'client', 'errors'],
] as const;

const SOURCE = 'packages/emulator/src';

/** Files, each with the files that it imports. */
const FILES: Record<string, readonly string[]> = {
  ...Object.fromEntries(
    BACKWARD.flatMap(([root, lower, upper]) => [
      [`${root}/${upper}/it.ts`, []],
      [`${root}/${lower}/uses-${upper}.ts`, [`../${upper}/it.ts`]],
      [`${root}/${upper}/uses-${lower}.ts`, [`../${lower}/it.ts`]],
    ]),
  ),
  [`${SOURCE}/store/it.ts`]: [],
  [`${SOURCE}/cli/it.ts`]: [],
  [`${SOURCE}/http/api/it.ts`]: [],
  [`${SOURCE}/index.ts`]: ['./cli/it.ts'],
  [`${SOURCE}/store/uses-the-entry-point.ts`]: ['../index.ts'],
  [`${SOURCE}/http/uses-api.ts`]: ['./api/it.ts'],
  [`${SOURCE}/newcomer/it.ts`]: [],
  [`${SOURCE}/newcomer/uses-cli.ts`]: ['../cli/it.ts'],
  [`${SOURCE}/store/uses-newcomer.ts`]: ['../newcomer/it.ts'],
  [`${SOURCE}/uses-tests.ts`]: ['../test/it.ts', '../../../engines/it.ts'],
  'packages/emulator/test/it.ts': [],
  'engines/it.ts': [],
  'shared/src/uses-emulator.ts': ['../../packages/emulator/src/index.ts'],
  'shared/src/contract/it.ts': [],
  'packages/emulator/src/config/it.ts': [],
  'packages/emulator/src/http/api/request/it.ts': [],
  'folders/a/one.ts': ['../b/one.ts'],
  'folders/a/two.ts': [],
  'folders/b/one.ts': [],
  'folders/b/two.ts': ['../a/two.ts'],
  'files/a.ts': ['./b.ts'],
  'files/b.ts': ['./a.ts'],
};

interface Violation {
  from: string;
  to: string;
  rule: { name: string };
}

let violations: Violation[];
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'layers-'));
  try {
    for (const [file, imports] of Object.entries(FILES)) {
      const lines = imports.map((from) => `export * from '${from}';`);
      await mkdir(join(folder, dirname(file)), { recursive: true });
      await writeFile(join(folder, file), [...lines, 'export const it = 1;'].join('\n'));
    }
    const config = join(ROOT, '.dependency-cruiser.mjs');
    const args = [DEPCRUISE, '--config', config, '--metrics', '--output-type', 'json', '.'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
    ({ violations } = (JSON.parse(stdout) as { summary: { violations: Violation[] } }).summary);
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** Names of the rules that a file or folder breaks. */
const brokenBy = (place: string) =>
  violations.filter(({ from }) => from === place).map(({ rule }) => rule.name);

describe('lint enforces the layers', () => {
  it.each(BACKWARD)('rejects, in %s, an import from %s of %s', (root, lower, upper) => {
    expect(brokenBy(`${root}/${lower}/uses-${upper}.ts`)).toEqual([`${root}/${lower}: lower layers only`]);
  });

  it("rejects an import of a folder's own files from a layer below them", () => {
    expect(brokenBy(`${SOURCE}/store/uses-the-entry-point.ts`)).toEqual([
      `${SOURCE}/store: lower layers only`,
    ]);
    expect(brokenBy(`${SOURCE}/http/uses-api.ts`)).toEqual([`${SOURCE}/http/.: lower layers only`]);
  });

  it('rejects imports from and into a folder without a layer', () => {
    const rule = `${SOURCE}: add the folder to LAYERS`;
    expect(brokenBy(`${SOURCE}/newcomer/uses-cli.ts`)).toEqual([rule]);
    expect(brokenBy(`${SOURCE}/store/uses-newcomer.ts`)).toEqual([rule]);
  });

  it('rejects imports of tests and engines in shipped code, and of packages in the core', () => {
    expect(brokenBy(`${SOURCE}/uses-tests.ts`).sort()).toEqual([
      '/packages: lower layers only',
      'no-import-of-tests',
    ]);
    expect(brokenBy('shared/src/uses-emulator.ts')).toEqual(['/shared: lower layers only']);
  });

  it('accepts imports of lower layers', () => {
    expect(brokenBy('shared/src/connector/uses-webhook.ts')).toEqual([]);
    expect(brokenBy('shared/src/json/uses-contract.ts')).toEqual([]);
  });

  it('rejects two folders that import each other, even if no two files do', () => {
    expect(brokenBy('folders/a')).toEqual(['no-circle-between-folders']);
  });

  it('rejects two files that import each other', () => {
    expect(brokenBy('files/a.ts')).toEqual(['no-circle-between-files']);
  });
});
