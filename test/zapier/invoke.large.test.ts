import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { zapierCommand } from '../../scripts/zapier/cli.ts';
import { APP_FOLDER, stageApp } from '../../scripts/zapier/app.ts';
import { installTool } from '../../scripts/tools/install.ts';
import { startWorld, type World } from './support/world.ts';

let world: World;
let folder: string;
beforeAll(() => installTool('zapier-cli'), 600_000);
beforeAll(async () => {
  world = await startWorld();
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'zapier-invoke-')));
  await stageApp(folder);
  await connect(world.emulator.apiKey);
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

/** Fills in `.env.example` and saves it as `.env`. */
async function connect(apiKey: string): Promise<void> {
  const example = await readFile(path.join(APP_FOLDER, '.env.example'), 'utf8');
  const env = example
    .replace(/^authData_apiKey=.*$/m, `authData_apiKey=${apiKey}`)
    .replace(/^authData_baseUrl=.*$/m, `authData_baseUrl=${world.emulator.url}`);
  await writeFile(path.join(folder, '.env'), env);
}

const invoke = (...args: string[]) => zapierCommand(folder, ['invoke', ...args, '--non-interactive']);

/** The output of an invocation that must succeed. */
async function invoked(...args: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await invoke(...args);
  if (code !== 0) throw new Error(`${stdout}\n${stderr}`);
  return JSON.parse(stdout);
}

test('auth test shows the workspace of the key in .env', async () => {
  const { id, name } = world.emulator.workspace;
  expect(await invoked('auth', 'test')).toMatchObject({ workspaceId: id, workspaceName: name });
});

test('create, search and a polling trigger run from the command line', async () => {
  const input = { name: 'Door', targetUrl: 'https://example.com', publishNow: 'true' };
  const created = await invoked('create', 'create_qr_code', '-i', JSON.stringify(input));
  const { targetUrl: _targetUrl, ...code } = created as Record<string, unknown>;
  expect(created).toMatchObject({ name: 'Door', targetUrl: input.targetUrl, status: 'published' });

  const search = JSON.stringify({ value: 'Door' });
  expect(await invoked('search', 'find_qr_code', '-i', search)).toEqual([code]);
  expect(await invoked('trigger', 'qr_changed')).toMatchObject([code]);
});

test('a failed step fails the command and prints the error message without the key', async () => {
  const { apiKey } = world.emulator.control.createKey({ scopes: ['qr:read'] });
  await connect(apiKey);
  const input = JSON.stringify({ name: 'Door', targetUrl: 'https://example.com' });
  const { code, stdout, stderr } = await invoke('create', 'create_qr_code', '-i', input);
  const said = `${stdout}${stderr}`.replaceAll(/\s*›?\s+/g, ' ');
  expect(code).not.toBe(0);
  expect(said).toContain('lacks the scope qr:write');
  expect(said).not.toContain(apiKey);
});
