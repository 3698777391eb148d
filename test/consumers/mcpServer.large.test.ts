import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installAlone, runAlone } from '../../scripts/release/installAlone.ts';
import { CONSUMER_NODE } from './support/packCore.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'qr-service-mcp-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('the packed MCP server runs without any other package', async () => {
  const args = ['pack', '-w', 'qr-service-mcp', '--json', '--ignore-scripts', '--pack-destination', folder];
  const options = { cwd: ROOT, shell: process.platform === 'win32' };
  const { stdout } = await promisify(execFile)('npm', args, options);
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const tarballs = new Map([['qr-service-mcp', join(folder, filename)]]);
  await installAlone('qr-service-mcp', folder, tarballs, [ROOT]);
  await runAlone(join(ROOT, 'scripts/release/smoke/qr-service-mcp.mjs'), [], folder, CONSUMER_NODE);
});
