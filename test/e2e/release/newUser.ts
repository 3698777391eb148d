import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { isReachable, managedProcess } from '../../support/process/managedProcess.ts';

const NPX = /^```sh\n(npx .*)$/m;

/** How the MCP server's README sets up a client. */
interface ClientConfig {
  mcpServers: { 'qr-service': { command: string; args: string[] } };
}

/**
 * Someone with Node, npm with this registry, no cache and an empty home folder, who does what the READMEs say first.
 * @param root of the repository
 */
export function newUser(folder: string, registry: { url: string }, root: string) {
  const [home, cwd] = [join(folder, 'home'), join(folder, 'work')];
  mkdirSync(home);
  mkdirSync(cwd);
  writeFileSync(join(home, '.npmrc'), `registry=${registry.url}\n`);
  const path = (process.env['PATH'] ?? '').split(':').filter((entry) => !entry.includes('node_modules'));
  const env = { HOME: home, PATH: [dirname(process.execPath), ...path].join(':') };
  const run = async (command: string, own: Record<string, string> = {}) =>
    (await promisify(execFile)('sh', ['-c', command], { cwd, env: { ...env, ...own } })).stdout;
  /** What a README shows first of a kind. */
  const first = (packageFolder: string, pattern: RegExp) => {
    const found = pattern.exec(readFileSync(join(root, packageFolder, 'README.md'), 'utf8'))?.[1];
    assert.ok(found !== undefined, `${packageFolder}/README.md has no ${pattern.source}`);
    return found;
  };

  /** The emulator, once it runs. */
  const service = { url: '', apiKey: '' };
  const emulator = managedProcess({
    name: 'The emulator',
    command: 'env',
    args: ['-i', '-C', cwd, `HOME=${home}`, `PATH=${env.PATH}`, 'sh', '-c', first('packages/emulator', NPX)],
    isReady() {
      [, service.url = ''] = /emulator at (\S+)/.exec(emulator.log()) ?? [];
      [, service.apiKey = ''] = /API key +(\S+)/.exec(emulator.log()) ?? [];
      return isReachable(service.url);
    },
  });

  return {
    service,
    run,
    startEmulator: () => emulator.start(),
    stop: () => emulator.stop(),

    installCore: async () => {
      await run(first('shared', /^```sh\n(npm install .*)$/m));
      const example = first('shared', /^```js\n(.*?)^```/ms);
      const required = example.replaceAll(/^import (.*) from (.*);$/gm, 'const $1 = require($2);');
      writeFileSync(join(cwd, 'example.mjs'), example);
      writeFileSync(join(cwd, 'example.cjs'), `(async () => {\n${required}})();\n`);
      const own = { QR_SERVICE_URL: service.url, QR_SERVICE_API_KEY: service.apiKey };
      for (const file of ['example.mjs', 'example.cjs']) {
        const [, link = ''] = /^(\S+) \S+\.svg \d{3,}\n$/.exec(await run(`node ${file}`, own)) ?? [];
        assert.equal((await fetch(link, { redirect: 'manual' })).status, 302);
      }
    },

    /** Succeeds only if the workspace has a code and a scan. */
    runProbe: async () => {
      const command = first('packages/probe', NPX).replace(/https:\S+/, service.url);
      await run(command, { QR_SERVICE_API_KEY: service.apiKey });
    },

    connectAgent: async () => {
      const config = first('packages/mcp-server', /^```json\n(.*?)^```/ms);
      const { command, args } = (JSON.parse(config) as ClientConfig).mcpServers['qr-service'];
      const own = { QR_SERVICE_API_KEY: service.apiKey, QR_SERVICE_BASE_URL: service.url };
      const client = new Client({ name: 'rehearsal', version: '1.0.0' });
      await client.connect(new StdioClientTransport({ command, args, env: { ...env, ...own }, cwd }));
      const { tools } = await client.listTools();
      assert.ok(tools.some(({ name }) => name === 'create_qr_codes'));
      await client.close();
    },
  };
}
