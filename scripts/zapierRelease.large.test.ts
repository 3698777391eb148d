import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import app from 'zapier-qr-service';
import packageJson from 'zapier-qr-service/package.json' with { type: 'json' };
import { installTool } from './tools/install.ts';
import { readChangelog, requireCli } from './zapierCli.ts';
import { APP_FOLDER } from './zapierStage.ts';

beforeAll(() => installTool('zapier-cli'), 600_000);

/** The command lines for Zapier's CLI in a text: everything after `npm run zapier --`. */
function cliLines(text: string): string[][] {
  const lines = text.matchAll(/npm run zapier -- ([^`#\n]+)/g);
  return [...lines].map(([, line = '']) =>
    (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', '')),
  );
}

const LINES = [
  ...['README.md', 'RELEASING.md'].map((name) => readFileSync(path.join(APP_FOLDER, name), 'utf8')),
  'npm run zapier -- upload\nnpm run zapier -- promote 1.1.0',
]
  .flatMap(cliLines)
  .filter(([name = '', flag = '']) => !name.startsWith('-') && flag !== '--public');

/** Parses lines as Zapier's CLI does, and prints those that it rejects. The CLI can't be loaded in Jest. */
const PARSE = `
  const { createRequire } = require('node:module');
  const load = createRequire(process.env.CLI);
  const { Parser } = load('@oclif/core');
  const { COMMANDS } = load('./src/oclif/oCommands');
  const parse = async ([name, ...argv]) => {
    const { args = {}, flags } = COMMANDS[name] ?? {};
    if (flags === undefined) throw new Error('no such command');
    await Parser.parse(argv, { args, flags, strict: true });
  };
  const check = (line) => parse(line).then(() => [], ({ message }) => [line.join(' ') + ': ' + message]);
  Promise.all(JSON.parse(process.env.LINES).map(check)).then((rejected) => console.log(JSON.stringify(rejected.flat())));
`;

async function rejectedLines(lines: readonly string[][]): Promise<unknown> {
  const cli = (await requireCli()).resolve('zapier-platform-cli/package.json');
  const env = { ...process.env, CLI: cli, LINES: JSON.stringify(lines) };
  const { stdout } = await promisify(execFile)(process.execPath, ['--eval', PARSE], { env });
  return JSON.parse(stdout);
}

test("Zapier's CLI accepts each command line of the documentation", async () => {
  expect(LINES.length).toBeGreaterThan(10);
  expect(await rejectedLines(LINES)).toEqual([]);
  expect(await rejectedLines([['promote'], ['jobs', '--no-such-flag'], ['publish']])).toHaveLength(3);
});

describe('the changelog', () => {
  test("has a section for the app's version that Zapier's CLI can read", async () => {
    const { changelog } = await readChangelog(APP_FOLDER, packageJson.version);
    expect(changelog.length).toBeGreaterThan(100);
    expect((await readChangelog(APP_FOLDER, '99.0.0')).changelog).toBe('');
  });

  test('names every visible step of the app by its key', async () => {
    const { appMetadata = [] } = await readChangelog(APP_FOLDER, packageJson.version);
    const steps = Object.entries({ read: app.triggers, write: app.creates, search: app.searches });
    const visible = steps.flatMap(([type, parts]) =>
      Object.values(parts)
        .filter(({ display }) => display.hidden !== true)
        .map(({ key }) => `${type} ${key}`),
    );
    const named = appMetadata.map(({ action_type, action_key }) => `${action_type} ${action_key}`);
    expect(named.sort()).toEqual(visible.sort());
  });
});

/** Runs the script as from the command line. */
function runScript(...args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const npmArgs = ['run', '--silent', 'zapier:release', '--', ...args];
    execFile('npm', npmArgs, { cwd: path.join(APP_FOLDER, '../..') }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });
}

describe('npm run zapier:release', () => {
  test('lists its stages when called without one', async () => {
    const { code, output } = await runScript();
    expect(code).toBe(1);
    expect(output).toMatch(/^npm run zapier:release -- <stage>/m);
  });

  test('--dry-run prints the blockers and commands, and runs nothing', async () => {
    const { code, output } = await runScript('preview', '--dry-run');
    const isRegistered = existsSync(path.join(APP_FOLDER, '.zapierapprc'));
    expect(output.includes('Register the app with')).toBe(!isRegistered);
    expect(output).toContain('npm run zapier -- build --public\nnpm run zapier -- upload\n');
    expect(output).not.toContain('> npm run');
    expect(code).toBe(/^To do first:/m.test(output) ? 1 : 0);
  });
});
