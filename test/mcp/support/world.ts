import { randomUUID } from 'node:crypto';
import {
  Client,
  InMemoryTransport,
  type CallToolResult,
  type ClientCapabilities,
  type Progress,
  type RequestOptions,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
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
export const ERAS = ['legacy', 'modern'] as const;

/** Options of a started server. The transport is in this process, or the built command's. */
export interface ServerSettings {
  args?: readonly string[];
  env?: Record<string, string>;
  era?: 'legacy' | 'modern';
  transport?: 'memory' | 'stdio';
  /** What the client says that it can do. */
  capabilities?: ClientCapabilities;
}

/** The capabilities of a client that shows pages (MCP Apps). */
export const SHOWS_PAGES: ClientCapabilities = {
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
};

/** A result whose structured content conforms to the tool's schema, and all its text, one line for each part. */
export interface CheckedResult extends Pick<CallToolResult, 'content'> {
  isError: boolean;
  text: string;
  // Tests know what they asked for.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any;
}

/** A server that was started, with the official client. */
export type McpServerUnderTest = Awaited<ReturnType<typeof startServer>>;

const servers: { close: () => Promise<void>; output: () => string }[] = [];

/** Starts the server for an emulator, or any other service. */
export async function startServer(
  { url, apiKey }: Pick<Emulator, 'url' | 'apiKey'>,
  { args = [], env = {}, era = 'modern', transport: kind = 'memory', capabilities = {} }: ServerSettings = {},
) {
  const received: string[] = [];
  const progress: Progress[] = [];
  const variables = { QR_SERVICE_API_KEY: apiKey, QR_SERVICE_BASE_URL: url, ...env };
  const { transport, stop } =
    kind === 'stdio'
      ? { transport: connectStdio(variables, args, received) }
      : await connectMemory(variables, args, received);
  const client = new Client(
    { name: 'tests', version: '1.0.0' },
    { versionNegotiation: { mode: era === 'legacy' ? 'legacy' : 'auto' }, capabilities },
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
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  for (const { name, outputSchema = {} } of tools) ajv.addSchema(outputSchema as AnySchema, name);

  const server = {
    client,
    tools,
    /** Everything that the client received, and everything on stderr. */
    output: () => received.join('\n'),
    /** All progress that the server sent. The client drops what arrives together with the result. */
    progress,
    async call(
      name: string,
      given: Record<string, unknown> = {},
      settings: RequestOptions = {},
    ): Promise<CheckedResult> {
      const result = await client.callTool({ name, arguments: given }, settings);
      if (!ajv.validate(name, result.structuredContent ?? {}))
        throw new Error(`${name} doesn't conform: ${ajv.errorsText()}`);
      const { content, structuredContent: data, isError = false } = result;
      const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
      return { isError, text, data, content };
    },
    close: async () => {
      await client.close();
      await stop?.();
    },
  };
  servers.push(server);
  return server;
}

/**
 * Serves in this process, as over stdio: messages are copied as JSON. No time limit of a call passes and no retry waits,
 * so that results don't depend on the machine's speed: a server that can't read the account in time offers all tools.
 */
async function connectMemory(env: Record<string, string>, args: readonly string[], output: string[]) {
  jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
  jest.spyOn(Math, 'random').mockReturnValue(0);
  const options = readArguments(args) ?? {};
  const { readOnly = false, out } = options;
  const client = createClient(readSettings(env, options));
  const outFolder = out === undefined || readOnly ? undefined : await openOutputFolder(out);
  const createServer = createServerFactory({ client, readOnly, outFolder }, '');
  const session = { id: randomUUID(), showsPages: false };
  const [transport, serverSide] = InMemoryTransport.createLinkedPair();
  for (const side of [transport, serverSide]) {
    const send = side.send.bind(side);
    side.send = (message, options) => send(JSON.parse(JSON.stringify(message)), options);
  }
  const onerror = (error: Error) => output.push(error.message);
  const handle = serveStdio(() => createServer(session), { transport: serverSide, onerror });
  return { transport: transport as Transport, stop: () => handle.close() };
}

function connectStdio(env: Record<string, string>, args: readonly string[], output: string[]): Transport {
  const server = { command: process.execPath, args: [COMMAND, ...args], env };
  const transport = new StdioClientTransport({ ...server, stderr: 'pipe' });
  transport.stderr?.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  return transport;
}

/** An emulator with a server. */
export type World = Awaited<ReturnType<typeof startWorld>>;

const emulators: Emulator[] = [];

/** Starts an emulator and a server for it. */
export async function startWorld(options: EmulatorOptions = {}, settings?: ServerSettings) {
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
