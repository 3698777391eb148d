import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startEmulatorProcess } from '../../engines/emulator/process.ts';
import { table } from '../../scripts/terminal/table.ts';
import { upTo } from '../support/verdict.ts';
import { median, record } from './compare.ts';
import { residentMegabytes } from './residentMegabytes.ts';

const COMMAND = fileURLToPath(new URL('../../packages/mcp-server/bin/qr-service-mcp.js', import.meta.url));
/** Responds to each line with itself. */
const ECHO = ['--eval', 'process.stdin.pipe(process.stdout)'];

const ROUNDS = 5;
/** Processes per round. The fastest one counts, as other load only slows a process down. */
const TRIES = 3;
const MAX_START_MS = 400;
const MAX_MEGABYTES = 60;
/** By then a process that does nothing has returned the memory that it doesn't need. */
const IDLE_MS = 3000;

/** A process with line-based JSON on stdin and stdout, in milliseconds from its start. */
interface Times {
  firstMs: number;
  toolsMs: number;
}

/** Resident memory of an idle process. */
interface Memory {
  /** After the start and `tools/list`. */
  started: number;
  /** After a code was created and drawn, too. */
  used: number;
  /** After 100 more rows, too. */
  busy: number;
}

/** How long does the MCP server take to respond, and how much memory does it hold? */
export async function run(): Promise<void> {
  const emulator = await startEmulatorProcess({ port: 4300 });
  const env = { QR_SERVICE_API_KEY: emulator.apiKey, QR_SERVICE_BASE_URL: emulator.url };
  const bare = () => open(ECHO);
  const server = () => open([COMMAND], env);

  const times: { bare: Times; server: Times }[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await timeRound(bare, server));
  const memory: { bare: Memory; server: Memory }[] = [];
  for (let round = 0; round < ROUNDS; round++)
    memory.push({ bare: await measure(bare), server: await measure(server) });
  await emulator.stop();

  const milliseconds = rowOf(times, ' ms', MAX_START_MS);
  const megabytes = rowOf(memory, ' MB', MAX_MEGABYTES);
  console.log(
    `\nMCP server on stdio, next to a Node.js process that echoes its input; medians of ${ROUNDS} rounds`,
  );
  console.log(
    table([
      ['', 'echo', 'ratio', 'target', ''],
      milliseconds('firstMs', 'start to the response to initialize'),
      milliseconds('toolsMs', 'start to the response to tools/list, with a service that responds'),
      megabytes('started', 'resident after tools/list'),
      megabytes('used', 'resident after a code was created and drawn'),
      megabytes('busy', 'resident after 100 more codes were created'),
    ]),
  );
  record('mcp', { times, memory });
}

/** Returns a function that makes a line of the table. */
function rowOf<Key extends string>(
  rounds: readonly { bare: Record<Key, number>; server: Record<Key, number> }[],
  unit: string,
  max: number,
): (key: Key, label: string) => string[] {
  return (key, label) => {
    const server = median(rounds.map((round) => round.server[key]));
    const bare = median(rounds.map((round) => round.bare[key]));
    return [
      `${server.toFixed(0)}${unit}`,
      `${bare.toFixed(0)}${unit}`,
      (server / bare).toFixed(2),
      upTo(max, server, unit),
      label,
    ];
  };
}

/** Alternates between the two, so that both see the same noise. */
async function timeRound(bare: () => Client, server: () => Client): Promise<{ bare: Times; server: Times }> {
  const fastest = {
    bare: { firstMs: Infinity, toolsMs: Infinity },
    server: { firstMs: Infinity, toolsMs: Infinity },
  };
  for (let attempt = 0; attempt < TRIES; attempt++)
    for (const [name, start] of [
      ['bare', bare],
      ['server', server],
    ] as const) {
      const startedAt = performance.now();
      const client = start();
      await client.initialize();
      const firstMs = performance.now() - startedAt;
      await client.request('tools/list');
      const toolsMs = performance.now() - startedAt;
      await client.close();
      const best = fastest[name];
      fastest[name] = { firstMs: Math.min(best.firstMs, firstMs), toolsMs: Math.min(best.toolsMs, toolsMs) };
    }
  return fastest;
}

async function measure(start: () => Client): Promise<Memory> {
  const client = start();
  await client.initialize();
  await client.request('tools/list');
  await sleep(IDLE_MS);
  const started = residentMegabytes(client.pid);
  const rows = [{ name: 'Table 7', targetUrl: 'https://example.com/7' }];
  const created = await client.request('tools/call', { name: 'create_qr_codes', arguments: { rows } });
  const code = created.result?.structuredContent?.results?.[0]?.qrCode?.id;
  await client.request('tools/call', { name: 'render_qr_codes', arguments: { codes: [code] } });
  await sleep(IDLE_MS);
  const used = residentMegabytes(client.pid);
  const many = Array.from({ length: 100 }, (_, index) => ({ ...rows[0], name: `Table ${index}` }));
  await client.request('tools/call', { name: 'create_qr_codes', arguments: { rows: many } });
  await sleep(IDLE_MS);
  const busy = residentMegabytes(client.pid);
  await client.close();
  return { started, used, busy };
}

/** The fields of a response that are used here. */
interface Response {
  error?: { message: string };
  result?: {
    isError?: boolean;
    structuredContent?: { results?: { qrCode?: { id: string } }[] };
  };
}

interface Client {
  pid: number;
  initialize(): Promise<void>;
  /** @throws Error when the server returns an error */
  request(method: string, params?: object): Promise<Response>;
  close(): Promise<void>;
}

/** Starts a Node.js process that responds to JSON lines, in their order. */
function open(args: string[], env: Record<string, string> = {}): Client {
  const child: ChildProcess = spawn(process.execPath, args, {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('The process has no pipes.');
  const lines = createInterface(stdout);
  let lastId = 0;
  const send = (message: object) => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const client: Client = {
    pid: child.pid ?? 0,
    async initialize() {
      await client.request('initialize', {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'bench', version: '1.0.0' },
      });
    },
    async request(method, params = {}) {
      const received = once(lines, 'line');
      send({ id: ++lastId, method, params });
      const [line] = (await received) as [string];
      const response = JSON.parse(line) as Response;
      if (response.error !== undefined || response.result?.isError === true)
        throw new Error(`${method} failed: ${line}`);
      return response;
    },
    async close() {
      const exited = once(child, 'exit');
      stdin.end();
      await exited;
    },
  };
  return client;
}
