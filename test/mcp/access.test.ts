import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SCOPES, type Scope } from '@qr-service/core';
import { TOOLS } from '../../packages/mcp-server/src/tools/index.ts';
import { closeWorlds, startServer, startWorld, type World } from './support/world.ts';

const SEED = { codes: [{ id: 'qr_1', name: 'Door', targetUrl: 'https://example.com' }] };

let world: World;
beforeAll(async () => {
  world = await startWorld({ seed: SEED });
});
afterAll(closeWorlds);

/** The scopes that each tool needs. */
const ALL: Record<string, readonly Scope[]> = {
  create_qr_codes: ['qr:write'],
  find_qr_codes: ['qr:read'],
  get_qr_code: ['qr:read'],
  publish_qr_code: ['qr:write'],
  retarget_qr_code: ['qr:write'],
  upsert_qr_codes: ['qr:read', 'qr:write'],
  render_qr_codes: ['exports:read'],
  list_scans: ['analytics:read'],
  whoami: [],
};

const startWith = (scopes: readonly Scope[]) =>
  startServer({ ...world.emulator, apiKey: world.emulator.control.createKey({ scopes }).apiKey });

test.each([...SCOPES.filter((scope) => Object.values(ALL).flat().includes(scope)), undefined])(
  'without the scope %s, its tools are not offered, and whoami says why',
  async (lacking) => {
    const server = await startWith(SCOPES.filter((scope) => scope !== lacking));
    const offered = Object.keys(ALL).filter((name) => lacking === undefined || !ALL[name]!.includes(lacking));
    expect(server.tools.map(({ name }) => name)).toEqual(offered);
    const { data, text } = await server.call('whoami');
    const unavailable = Object.keys(ALL).filter((name) => !offered.includes(name));
    expect(data.unavailableTools.map(({ tool }: { tool: string }) => tool)).toEqual(unavailable);
    expect(data.missingScopes).toEqual(lacking === undefined ? [] : [lacking]);
    for (const name of unavailable)
      expect(text).toContain(`Unavailable: ${name}. The API key lacks the scope ${lacking}.`);
  },
);

test('--read-only offers no tool that writes, and writes no files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'read-only-'));
  const server = await startServer(world.emulator, { args: ['--read-only', '--out', folder] });
  expect((await server.call('render_qr_codes', { codes: ['qr_1'] })).isError).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
  const reading = ['find_qr_codes', 'get_qr_code', 'render_qr_codes', 'list_scans', 'whoami'];
  expect(server.tools.map(({ name }) => name)).toEqual(reading);
  await expect(server.call('create_qr_codes', { rows: [] })).rejects.toThrow();
  const { data } = await server.call('whoami');
  expect(data.readOnly).toBe(true);
  expect(data.unavailableTools).toHaveLength(TOOLS.length - reading.length);
});

test('--allow-targets limits where codes may point, and whoami says so without the list', async () => {
  const server = await startServer(world.emulator, { args: ['--allow-targets', 'a.example'] });
  const before = world.emulator.control.requestCount();
  const targetUrl = 'https://evil.test/secret';
  for (const [tool, args] of [
    ['create_qr_codes', { rows: [{ name: 'A', targetUrl }] }],
    ['upsert_qr_codes', { rows: [{ name: 'A', targetUrl }], matchBy: 'name' }],
    ['retarget_qr_code', { code: 'https://r.example/x', url: targetUrl }],
  ] as const) {
    const { isError, data, text } = await server.call(tool, args);
    expect(isError).toBe(true);
    expect(text).toMatch(/evil\.test isn't an allowed .* ask the user to add it to --allow-targets/);
    expect(text).not.toMatch(/secret|a\.example/);
    expect(data.error ?? data.results[0].error).toMatchObject({ code: 'target_not_allowed' });
  }
  expect(world.emulator.control.requestCount()).toBe(before);
  const { data, text } = await server.call('whoami');
  expect(data.limitsDestinations).toBe(true);
  expect(text).toMatch(/^Destinations: only those that --allow-targets allows\.$/m);
  expect(text).not.toContain('a.example');
});
