import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client, type CallToolResult, type Progress, type Tool } from '@modelcontextprotocol/client';
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import { startEmulator, type Emulator, type EmulatorOptions } from 'qr-service-emulator';

/** The built command. */
export const COMMAND = join(__dirname, '../../../packages/mcp-server/bin/qr-service-mcp.js');

/** The protocol that a client speaks: with an `initialize` handshake, or with the version in each request. */
export type Era = 'legacy' | 'modern';
export const ERAS: readonly Era[] = ['legacy', 'modern'];

/** Options of a started server. */
export interface ServerSettings {
  args?: readonly string[];
  env?: Record<string, string>;
  /** @default 'modern' */
  era?: Era;
}

/** Options of one call. */
export interface CallSettings {
  signal?: AbortSignal;
  onprogress?: (progress: Progress) => void;
}

/** A result whose structured content conforms to the tool's schema. */
export interface CheckedResult {
  isError: boolean;
  /** All text, one line for each part. */
  text: string;
  // Tests know what they asked for.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  data: any;
  content: CallToolResult['content'];
}

/** A server that was started over stdio, with the official client. */
export interface McpServerUnderTest {
  client: Client;
  tools: Tool[];
  pid: number;
  /** Resolves when the server's process has ended. */
  ended: Promise<void>;
  /** Everything that the client received, and everything on stderr. */
  output: () => string;
  call: (name: string, args?: Record<string, unknown>, settings?: CallSettings) => Promise<CheckedResult>;
  close: () => Promise<void>;
}

const servers: McpServerUnderTest[] = [];

/** Starts the built server for an emulator, or any other service. */
export async function startServer(
  { url, apiKey }: Pick<Emulator, 'url' | 'apiKey'>,
  { args = [], env = {}, era = 'modern' }: ServerSettings = {},
): Promise<McpServerUnderTest> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [COMMAND, ...args],
    env: { QR_SERVICE_API_KEY: apiKey, QR_SERVICE_BASE_URL: url, ...env },
    stderr: 'pipe',
  });
  const received: string[] = [];
  transport.stderr?.on('data', (chunk: Buffer) => received.push(chunk.toString()));
  const client = new Client(
    { name: 'tests', version: '1.0.0' },
    { versionNegotiation: { mode: era === 'legacy' ? 'legacy' : 'auto' } },
  );
  await client.connect(transport);
  const deliver = transport.onmessage;
  transport.onmessage = (message) => {
    received.push(JSON.stringify(message));
    deliver?.(message);
  };
  const ended = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  const { tools } = await client.listTools();
  const ajv = new Ajv2020({ strict: false });
  const validators = new Map(
    tools.map(({ name, outputSchema = false }) => [name, ajv.compile(outputSchema as AnySchema)]),
  );

  const server: McpServerUnderTest = {
    client,
    tools,
    pid: transport.pid ?? 0,
    ended,
    output: () => received.join('\n'),
    async call(name, given = {}, settings = {}) {
      const result = await client.callTool({ name, arguments: given }, settings);
      const validate = validators.get(name);
      if (validate?.(result.structuredContent) !== true)
        throw new Error(`${name} doesn't conform: ${JSON.stringify(validate?.errors)}`);
      const { content, structuredContent: data, isError = false } = result;
      const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
      return { isError, text, data, content };
    },
    close: () => client.close(),
  };
  servers.push(server);
  return server;
}

/** An emulator with a server. */
export interface World {
  emulator: Emulator;
  server: McpServerUnderTest;
}

const emulators: Emulator[] = [];

/** Starts an emulator and a server for it. */
export async function startWorld(options: EmulatorOptions = {}, settings?: ServerSettings): Promise<World> {
  const emulator = await startEmulator(options);
  emulators.push(emulator);
  return { emulator, server: await startServer(emulator, settings) };
}

/** Stops everything that was started, after checking that no server has shown an API key. */
export async function closeWorlds(): Promise<void> {
  const outputs = servers.map((server) => server.output());
  await Promise.all(servers.splice(0).map((server) => server.close()));
  const keys = emulators.map(({ apiKey }) => apiKey);
  await Promise.all(emulators.splice(0).map((emulator) => emulator.stop()));
  if (outputs.some((output) => keys.some((key) => output.includes(key))))
    throw new Error('A server has shown its API key.');
}

/** Requests that the emulator received, as `POST /qr`. */
export function requestsOf({ control }: Emulator): string[] {
  return control.requests().map(({ method, path }) => `${method} ${path.replace('/v1/public-api', '')}`);
}
