import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request as startRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Scope } from '@qr-service/core';
import { startEmulator, type Emulator } from 'qr-service-emulator';
import { nodeTransport } from '@qr-service/core/node';
import { DEFAULT_HTTP_PORT } from '../src/config/readArguments.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BIN = `${ROOT}/packages/mcp-server/bin/qr-service-mcp.js`;
const README = readFileSync(`${ROOT}/packages/mcp-server/README.md`, 'utf8');

/** How a client starts a server. */
interface ServerConfig {
  command: string;
  args: string[];
  env: Record<string, string>;
}

interface ClientConfig {
  mcpServers?: Record<string, ServerConfig>;
  servers?: Record<string, ServerConfig & { type: string }>;
  inputs?: { type: string; id: string; password?: boolean }[];
}

/** The text below a heading, without its subsections. */
function section(heading: string): string {
  const found = README.split(/^#{2,3} /m).find((part) => part.startsWith(`${heading}\n`));
  if (found === undefined) throw new Error(`The README has no section ${heading}.`);
  return found;
}

function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, code = '']) => code);
}

function block(heading: string, language: string): string {
  const [found = ''] = blocks(section(heading), language);
  return found;
}

/** The cells of each row of a section's table. */
function table(heading: string): string[][] {
  const rows = [...section(heading).matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split(' | '));
  return rows.slice(2).map((cells) => cells.map((cell) => cell.trim()));
}

const names = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

/** The server as it is built, for `npx qr-service-mcp` and for a path in a clone. */
function resolveCommand(command: string, args: readonly string[]): [command: string, ...args: string[]] {
  const [package_, ...options] = args.filter((arg) => arg !== '-y');
  const isNpx = command === 'npx' && args[0] === '-y' && package_ === 'qr-service-mcp';
  const isClone =
    command === 'node' && package_ === '/path/to/clone/packages/mcp-server/bin/qr-service-mcp.js';
  if (!isNpx && !isClone) throw new Error(`Unknown command: ${[command, ...args].join(' ')}`);
  return [process.execPath, BIN, ...options];
}

let service: Emulator;
const clients: Client[] = [];
/** Where the servers run, and the user's home folder. */
let home: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'readme-'));
  // The key that the blocks show.
  service = await startEmulator({ apiKey: 'your-api-key' });
});
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));
afterAll(async () => {
  await service.stop();
  rmSync(home, { recursive: true });
});

/** Starts the server as a client would, and connects to it. */
async function connect({ command, args, env }: ServerConfig): Promise<Client> {
  const [file, ...rest] = resolveCommand(command, args);
  const client = new Client({ name: 'readme', version: '1.0.0' });
  clients.push(client);
  const given = { QR_SERVICE_BASE_URL: service.url, HOME: home, ...env };
  await client.connect(new StdioClientTransport({ command: file, args: rest, env: given, cwd: home }));
  return client;
}

async function toolNames(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

const TOOLS = table('Tools').map(([name = '']) => names(name)[0]!);

const server = (...options: string[]): ServerConfig => ({
  command: 'npx',
  args: ['-y', 'qr-service-mcp', ...options],
  env: { QR_SERVICE_API_KEY: 'your-api-key' },
});

describe('the configuration of a client', () => {
  it.each([
    ['Claude Desktop', /^your-api-key$/],
    ['Claude Code', /^\$\{(QR_SERVICE_API_KEY)\}$/],
    ['VS Code', /^\$\{input:(qr-key)\}$/],
    ['Cursor', /^\$\{env:(QR_SERVICE_API_KEY)\}$/],
  ])('%s starts the server, with the key from where the client keeps it', async (heading, reference) => {
    const config = JSON.parse(block(heading, 'json')) as ClientConfig;
    const { 'qr-service': entry } = (heading === 'VS Code' ? config.servers : config.mcpServers)!;
    const [key, source] = reference.exec(entry!.env['QR_SERVICE_API_KEY']!)!;
    if (heading === 'VS Code')
      expect(config.inputs).toEqual([expect.objectContaining({ id: source, password: true })]);
    expect(Object.keys(entry!.env)).toEqual(['QR_SERVICE_API_KEY']);
    const env = { QR_SERVICE_API_KEY: source === undefined ? key : service.apiKey };
    expect(await toolNames(await connect({ ...entry!, env }))).toEqual(TOOLS);
    expect(existsSync(join(home, entry!.args.at(-1)!.replace('~', '.')))).toBe(true);
  });

  it('is the same in the root README as for Claude Desktop', () => {
    const [, found = ''] = /^## AI agents\n.*?```json\n(.*?)```/ms.exec(
      readFileSync(`${ROOT}/README.md`, 'utf8'),
    )!;
    expect(JSON.parse(found)).toEqual(JSON.parse(block('Claude Desktop', 'json')));
  });

  it("Claude Code's command starts it, too", async () => {
    const [, name = '', value = '', command = '', args = ''] =
      /^claude mcp add .*--env (\w+)=(\S+) --transport stdio qr-service -- (\S+) (.*)$/m.exec(
        block('Claude Code', 'sh'),
      )!;
    const client = await connect({ command, args: args.split(' '), env: { [name]: value } });
    expect(await toolNames(client)).toEqual(TOOLS);
  });

  it('n8n connects to the server over HTTP', async () => {
    const { nodes } = JSON.parse(block('n8n', 'json')) as {
      nodes: { type: string; parameters: { endpointUrl: string; authentication: string } }[];
    };
    expect(nodes).toMatchObject([{ type: '@n8n/n8n-nodes-langchain.mcpClientTool' }]);
    const { endpointUrl, authentication } = nodes[0]!.parameters;
    expect({ endpointUrl, authentication }).toEqual({
      endpointUrl: `http://127.0.0.1:${DEFAULT_HTTP_PORT}/mcp`,
      authentication: 'bearerAuth',
    });
    const [variables = '', command = ''] = block('n8n', 'sh').split('\n');
    const env = Object.fromEntries(
      [...variables.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    );
    const http = await startHttp(command, env);
    try {
      const requestInit = { headers: { Authorization: `Bearer ${env['QR_SERVICE_MCP_TOKEN']}` } };
      const client = new Client({ name: 'readme', version: '1.0.0' });
      clients.push(client);
      await client.connect(new StreamableHTTPClientTransport(new URL(http.url), { requestInit }));
      expect(await toolNames(client)).toEqual(TOOLS);
      await expect(refusal(http.url, {})).resolves.toEqual([401, expect.stringContaining(message(401))]);
      const host = { Authorization: requestInit.headers.Authorization, Host: 'abc.trycloudflare.com' };
      await expect(refusal(http.url, host)).resolves.toEqual([403, expect.stringContaining(message(403))]);
    } finally {
      await http.stop();
    }
  });

  it('a clone connects to the emulator as it is started there', async () => {
    const { mcpServers } = JSON.parse(block('Try it without an account', 'json')) as ClientConfig;
    const { env, ...entry } = mcpServers!['qr-service']!;
    const command = block('Try it without an account', 'sh').split('\n')[1]!;
    const [, port, apiKey = ''] = /^npx qr-service-emulator --port (\d+) --api-key (\S+)$/.exec(command)!;
    expect(env).toEqual({ QR_SERVICE_API_KEY: apiKey, QR_SERVICE_BASE_URL: `http://127.0.0.1:${port}` });
    const emulator = await startEmulator({ apiKey });
    try {
      const client = await connect({ ...entry, env: { ...env, QR_SERVICE_BASE_URL: emulator.url } });
      const { isError } = await client.callTool({ name: 'whoami' });
      expect(isError).toBeUndefined();
    } finally {
      await emulator.stop();
    }
  });

  it('shows no other JSON', () => {
    expect(blocks(README, 'json')).toHaveLength(6);
  });
});

describe('the tables', () => {
  it('name the tools that write', async () => {
    const writing = table('Tools').flatMap(([name = '', , writes]) => (writes === 'yes' ? names(name) : []));
    const { tools } = await (await connect(server())).listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    expect(
      tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name),
    ).toEqual(writing);
    const reading = await toolNames(await connect(server('--read-only')));
    expect(reading).toEqual(TOOLS.filter((name) => !writing.includes(name)));
  });

  const scopes = [...new Set(table('Tools').flatMap(([, , , scope = '']) => names(scope)))];

  it.each(scopes)('name the tools that a key with only %s offers', async (scope) => {
    const { apiKey } = service.control.createKey({ scopes: [scope as Scope] });
    const offered = table('Tools').flatMap(([name = '', , , needed = '']) =>
      names(needed).every((one) => one === scope) ? names(name) : [],
    );
    expect(offered.length).toBeGreaterThan(1);
    expect(await toolNames(await connect({ ...server(), env: { QR_SERVICE_API_KEY: apiKey } }))).toEqual(
      offered,
    );
  });
});

it('names the resources and prompts that there are', async () => {
  const client = await connect(server());
  const { resourceTemplates } = await client.listResourceTemplates();
  const { prompts } = await client.listPrompts();
  const paragraph = (title: string) =>
    names(
      section('Tools')
        .split('\n\n')
        .find((text) => text.startsWith(`**${title}**`))!,
    );
  expect(paragraph('Resources')).toEqual(resourceTemplates.map(({ uriTemplate }) => uriTemplate));
  expect(paragraph('Prompts')).toEqual(prompts.map(({ name }) => name));
});

describe('the errors', () => {
  it.each([
    ['without a key', '', 'There is no API key'],
    [
      'with a variable that the client has passed on literally',
      '${QR_SERVICE_API_KEY}',
      'QR_SERVICE_API_KEY contains',
    ],
  ])('%s', async (_, key, mark) => {
    const env = { QR_SERVICE_API_KEY: key };
    const child = spawn(process.execPath, [BIN], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const lines: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => lines.push(text));
    await once(child, 'close');
    expect(lines.join('')).toContain(message(mark));
  });

  it('with an invalid key', async () => {
    const env = { QR_SERVICE_API_KEY: 'revoked' };
    const { content, isError } = await (await connect({ ...server(), env })).callTool({ name: 'whoami' });
    expect(isError).toBe(true);
    expect(content).toMatchObject([
      { text: expect.stringContaining(message('The API key is missing')) as string },
    ]);
  });

  it('without a service', async () => {
    const request = {
      method: 'GET',
      url: 'http://127.0.0.1:1/',
      headers: {},
      timeoutMs: 60_000,
      maxBytes: 1000,
    } as const;
    await expect(nodeTransport()({ ...request, responseType: 'json' })).rejects.toThrow(
      message('could not be reached'),
    );
  });
});

it('is short', () => {
  expect(README.split(/\s+/).filter((word) => /\w/.test(word)).length).toBeLessThanOrEqual(1600);
});

/** A message that the README quotes, by its start or by the status after it. */
function message(mark: string | number): string {
  const quoted = [...section('When something fails').matchAll(/^- \*\*`?([^*`]+)`?\*\*(?: \((\d+)\))?/gm)];
  const found = quoted.find(([, text, status]) => text!.startsWith(String(mark)) || status === String(mark));
  if (found === undefined) throw new Error(`The README quotes no message ${mark}.`);
  return found[1]!;
}

/** Starts the server on any free port. */
async function startHttp(line: string, env: Record<string, string>) {
  const [command = '', ...args] = line.split(' ');
  const [file, ...rest] = resolveCommand(command, args);
  expect(rest.at(-1)).toBe('--http');
  const child = spawn(file, [...rest, '0'], {
    env: { ...env, QR_SERVICE_BASE_URL: service.url },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.once('close', () => reject(new Error(`The server stopped:\n${log}`)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      const [found] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(log) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  const stop = async () => {
    const closed = once(child, 'close');
    child.kill();
    await closed;
  };
  return { url, stop };
}

/** Status and body of a request that isn't accepted. */
async function refusal(
  url: string,
  headers: Record<string, string>,
): Promise<[status: number, body: string]> {
  const sent = startRequest(url, { method: 'POST', headers }).end('{}');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return [response.statusCode!, Buffer.concat(await response.toArray()).toString()];
}
