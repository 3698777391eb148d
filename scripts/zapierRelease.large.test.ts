import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import app from 'zapier-qr-service';
import packageJson from 'zapier-qr-service/package.json' with { type: 'json' };
import { installTool } from './tools/install.ts';
import { readChangelog, requireCli, zapierCommand, type CommandResult } from './zapierCli.ts';
import { planRelease } from './zapierReleasePlan.ts';
import { APP_FOLDER } from './zapierStage.ts';

beforeAll(() => installTool('zapier-cli'), 600_000);

/** The command lines for Zapier's CLI in a text: everything after `npm run zapier --`. */
function cliLines(text: string): string[][] {
  const lines = text.matchAll(/npm run zapier -- ([^`#\n]+)/g);
  return [...lines].map(([, line = '']) =>
    (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', '')),
  );
}

const planned = (args: string[], version = '1.1.0') =>
  planRelease(args, version, new Date('2026-11-22T12:00:00Z')).commands.map((command) => command.join(' '));

const LINES = [
  ...['README.md', 'RELEASING.md'].flatMap((name) =>
    cliLines(readFileSync(path.join(APP_FOLDER, name), 'utf8')),
  ),
  ...[
    ['preview', 'ana@example.com'],
    ['promote'],
    ['migrate', '1.0.0', '10'],
    ['migrate', '1.0.0', 'ana@example.com'],
    ['rollback', '1.0.0'],
    ['deprecate', '1.0.0', '2027-03-31'],
  ].flatMap((args) => cliLines(planned(args).join('\n'))),
].filter(([name = '']) => !name.startsWith('-'));

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

test("Zapier's CLI accepts each command line of the documentation and the script", async () => {
  expect(LINES.length).toBeGreaterThan(15);
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

describe('a request to Zapier', () => {
  interface ApiRequest {
    method: string;
    path: string;
    body: Record<string, unknown>;
  }

  /** Stands in for Zapier's API: an app that is public, and success for every change. */
  async function run(command: string): Promise<{ result: CommandResult; changes: ApiRequest[] }> {
    const requests: ApiRequest[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        requests.push({
          method: request.method ?? '',
          path: request.url ?? '',
          body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
        });
        const zapierApp = {
          id: 7,
          title: 'QR Service',
          status: 'public',
          public: true,
          latest_version: '1.0.0',
        };
        response.setHeader('Content-Type', 'application/json').end(JSON.stringify(zapierApp));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const folder = await mkdtemp(path.join(tmpdir(), 'zapier-release-'));
    const link = path.join(folder, 'app.json');
    await writeFile(link, JSON.stringify({ id: 7, key: 'App7' }));
    Object.assign(process.env, {
      ZAPIER_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      ZAPIER_CURRENT_APP_FILE: link,
      ZAPIER_DEPLOY_KEY: 'of-a-test',
    });
    try {
      const [line = []] = cliLines(command);
      const result = await zapierCommand(APP_FOLDER, line);
      return { result, changes: requests.filter(({ method }) => method !== 'GET') };
    } finally {
      for (const name of ['ZAPIER_ENDPOINT', 'ZAPIER_CURRENT_APP_FILE', 'ZAPIER_DEPLOY_KEY'])
        Reflect.deleteProperty(process.env, name);
      server.close();
      await rm(folder, { recursive: true });
    }
  }

  const last = (commands: string[]) => commands.at(-1) ?? '';
  const migration = (body: object) => [
    expect.objectContaining({ method: 'POST', path: '/apps/7/pre-migration-require-confirmation-checks' }),
    { method: 'POST', path: '/apps/7/migrations', body: { job: expect.objectContaining(body) as unknown } },
  ];

  test("promote sends the version's changelog", async () => {
    const { version } = packageJson;
    const { changelog } = await readChangelog(APP_FOLDER, version);
    const { result, changes } = await run(`${last(planned(['promote'], version))} --yes`);
    expect(result).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Promotion successful') as unknown,
    });
    expect(changes).toEqual(migration({ name: 'promote', to_version: version, changelog }));
  });

  test('migrate moves a share of the users', async () => {
    const { result, changes } = await run(last(planned(['migrate', '1.0.0', '10'])));
    expect(result.code).toBe(0);
    const job = { name: 'migrate', from_version: '1.0.0', to_version: '1.1.0', percent_human: 10 };
    expect(changes).toEqual(migration(job));
  });

  test('migrate moves one user', async () => {
    const { changes } = await run(last(planned(['migrate', '1.0.0', 'ana@example.com'])));
    const job = { from_version: '1.0.0', to_version: '1.1.0', email: 'ana@example.com', email_type: 'user' };
    expect(changes).toEqual(migration(job));
  });

  test('rollback moves all users back', async () => {
    const { changes } = await run(last(planned(['rollback', '1.0.0'])));
    expect(changes).toEqual(
      migration({ name: 'migrate', from_version: '1.1.0', to_version: '1.0.0', percent_human: 100 }),
    );
  });

  test('deprecate sends the date', async () => {
    const command = `${last(planned(['deprecate', '1.0.0', '2027-03-31']))} --force --reason "critical bug"`;
    expect((await run(command)).changes).toEqual([
      {
        method: 'PUT',
        path: '/apps/7/versions/1.0.0/deprecate',
        body: { deprecation_date: '2027-03-31', deprecation_reason: 'critical bug' },
      },
    ]);
  });

  test('users:add invites to the version', async () => {
    const { changes } = await run(`${last(planned(['preview', 'ana@example.com']))} --force`);
    expect(changes).toEqual([{ method: 'POST', path: '/apps/7/invitees/ana@example.com/1.1.0', body: {} }]);
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
    expect(output).toMatch(/^Choose a stage\.\n\nnpm run zapier:release -- <stage>/m);
  });

  test('--dry-run prints the blockers and commands, and runs nothing', async () => {
    const { code, output } = await runScript('preview', '--dry-run');
    const isRegistered = existsSync(path.join(APP_FOLDER, '.zapierapprc'));
    expect(output.includes('Register the app with')).toBe(!isRegistered);
    expect(output).toContain('npm run zapier:build -- --public\nnpm run zapier -- upload\n');
    expect(output).not.toContain('> npm run');
    expect(code).toBe(/^To do first:/m.test(output) ? 1 : 0);
  });
});
