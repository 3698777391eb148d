import { randomUUID } from 'node:crypto';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import {
  Client,
  InMemoryTransport,
  type CallToolResult,
  type Progress,
  type RequestOptions,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import { startEmulator, type Emulator, type EmulatorOptions } from 'qr-service-emulator';
import { readArguments, readSettings } from '../../../packages/mcp-server/src/config/config.ts';
import {
  createClient,
  createServerFactory,
} from '../../../packages/mcp-server/src/server/createServerFactory.ts';
import { openOutputFolder } from '../../../packages/mcp-server/src/session/outputFolder.ts';
import { COMMAND } from '../../support/mcp/mcpServer.ts';

/** The protocol that a client speaks: with an `initialize` handshake, or with the version in each request. */
export type Era = 'legacy' | 'modern';
export const ERAS: readonly Era[] = ['legacy', 'modern'];

/** Options of a started server. */
export interface ServerSettings {
  args?: readonly string[];
  env?: Record<string, string>;
  era?: Era;
  /** In this process (`memory`, default), or in the built command's. */
  transport?: 'memory' | 'stdio';
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

/** A server that was started, with the official client. */
export interface McpServerUnderTest {
  client: Client;
  tools: Tool[];
  /** Everything that the client received, and everything on stderr. */
  output: () => string;
  /** All progress that the server sent. The client drops what arrives together with the result. */
  progress: () => Progress[];
  call: (name: string, args?: Record<string, unknown>, options?: RequestOptions) => Promise<CheckedResult>;
  close: () => Promise<void>;
}

const servers: McpServerUnderTest[] = [];

/** Starts the server for an emulator, or any other service. */
export async function startServer(
  { url, apiKey }: Pick<Emulator, 'url' | 'apiKey'>,
  { args = [], env = {}, era = 'modern', transport: kind = 'memory' }: ServerSettings = {},
): Promise<McpServerUnderTest> {
  const received: string[] = [];
  const progress: Progress[] = [];
  const connect = kind === 'memory' ? connectMemory : connectStdio;
  const variables = { QR_SERVICE_API_KEY: apiKey, QR_SERVICE_BASE_URL: url, ...env };
  const { transport, stop } = await connect(variables, args, received);
  const client = new Client(
    { name: 'tests', version: '1.0.0' },
    { versionNegotiation: { mode: era === 'legacy' ? 'legacy' : 'auto' } },
  );
  await client.connect(transport);
  const deliver = transport.onmessage;
  transport.onmessage = (message) => {
    received.push(JSON.stringify(message));
    if ('method' in message && message.method === 'notifications/progress')
      progress.push(message.params as unknown as Progress);
    deliver?.(message);
  };
  const { tools } = await client.listTools();
  const ajv = new Ajv2020({ strict: false });
  const validators = new Map(
    tools.map(({ name, outputSchema = {} }) => [name, ajv.compile(outputSchema as AnySchema)]),
  );

  const server: McpServerUnderTest = {
    client,
    tools,
    output: () => received.join('\n'),
    progress: () => progress,
    async call(name, given = {}, settings = {}) {
      const result = await client.callTool({ name, arguments: given }, settings);
      const validate = validators.get(name);
      if (validate?.(result.structuredContent ?? {}) !== true)
        throw new Error(`${name} doesn't conform: ${JSON.stringify(validate?.errors)}`);
      const { content, structuredContent: data, isError = false } = result;
      const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
      return { isError, text, data, content };
    },
    close: async () => {
      await client.close();
      await stop();
    },
  };
  servers.push(server);
  return server;
}

/** Starts a server. `output` receives everything that it prints. */
type Connect = (
  env: Record<string, string>,
  args: readonly string[],
  output: string[],
) => Promise<{ transport: Transport; stop: () => Promise<void> }>;

/**
 * Serves in this process, as over stdio: messages are copied as JSON. No time limit of a call passes and no retry waits,
 * so that results don't depend on the machine's speed: a server that can't read the account in time offers all tools.
 */
const connectMemory: Connect = async (env, args, output) => {
  jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
  jest.spyOn(Math, 'random').mockReturnValue(0);
  const options = readArguments(args) ?? {};
  const { readOnly = false, out } = options;
  const createServer = createServerFactory({
    client: createClient(readSettings(env, options)),
    readOnly,
    outFolder: out === undefined || readOnly ? undefined : await openOutputFolder(out),
  });
  const session = { id: randomUUID() };
  const [transport, serverSide] = InMemoryTransport.createLinkedPair();
  for (const side of [transport, serverSide]) {
    const send = side.send.bind(side);
    side.send = (message, options) => send(JSON.parse(JSON.stringify(message)), options);
  }
  const onerror = (error: Error) => output.push(error.message);
  const handle = serveStdio(() => createServer(session), { transport: serverSide, onerror });
  return { transport, stop: () => handle.close() };
};

const connectStdio: Connect = (env, args, output) => {
  const server = { command: process.execPath, args: [COMMAND, ...args], env };
  const transport = new StdioClientTransport({ ...server, stderr: 'pipe' });
  transport.stderr?.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  return Promise.resolve({ transport, stop: () => Promise.resolve() });
};

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
  const closed = servers.splice(0);
  await Promise.all(closed.map((server) => server.close()));
  const outputs = closed.map((server) => server.output());
  const keys = emulators.map(({ apiKey }) => apiKey);
  await Promise.all(emulators.splice(0).map((emulator) => emulator.stop()));
  jest.restoreAllMocks();
  if (outputs.some((output) => keys.some((key) => output.includes(key))))
    throw new Error('A server has shown its API key.');
}

/** Requests that the emulator received, as `POST /qr`. */
export function requestsOf({ control }: Emulator): string[] {
  return control.requests().map(({ method, path }) => `${method} ${path.replace('/v1/public-api', '')}`);
}
