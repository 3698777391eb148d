import { McpServer, type CallToolResult, type ServerContext } from '@modelcontextprotocol/server';
import { QrServiceClient } from '@qr-service/core';
import { BRAND, CodeMemory, omitUndefined, type Connection } from '@qr-service/core/connector';
import { undiciTransport } from '@qr-service/core/undici';
import { LRUCache } from 'lru-cache';
import packageJson from '../../package.json' with { type: 'json' };
import { toToolError } from '../errors/toolError.ts';
import { readArguments } from '../schemas/arguments.ts';
import { argumentsSchema, resultSchema } from '../schemas/toolSchema.ts';
import { accountReader } from '../session/accountReader.ts';
import { createSession, type Session } from '../session/session.ts';
import { TOOLS } from '../tools/index.ts';
import { previewQrCode, renderQrCodes } from '../tools/renderQrCodes.ts';
import { WRITES, type Shared, type Tool, type ToolCall, type ToolResult } from '../tools/Tool.ts';
import { whyUnavailable } from '../tools/whoami.ts';
import { describePage, registerPage } from './resultsPage.ts';

/** The service's client for all sessions of the process, so that they share the rate limit. */
export function createClient(connection: Connection): QrServiceClient {
  return new QrServiceClient({
    ...connection,
    transport: undiciTransport(),
    // Rather than wait for longer, the model should know.
    retry: { rateLimitMs: 60_000 },
    userAgent: `${packageJson.name}/${packageJson.version}`,
  });
}

/** Creates the server of a session. Its ID is unique: Idempotency-Keys are made from it. */
export type CreateServer = (session: { id: string; showsPages: boolean }) => Promise<McpServer>;

/** Sessions whose state is kept. Since protocol 2026-07-28, each HTTP request asks for its client's. */
const MAX_SESSIONS = 200;

const ICON_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 60"><rect width="60" height="60" rx="12" fill="#0f766e"/><path fill="none" stroke="#fff" stroke-width="4" d="M14 14h12v12H14zM34 14h12v12H34zM14 34h12v12H14z"/><path fill="#fff" d="M32 32h6v6h-6zM42 32h6v6h-6zM37 40h6v8h-6z"/></svg>';
const ICON = `data:image/svg+xml;base64,${Buffer.from(ICON_SVG).toString('base64')}`;

/** The server as clients show it. */
const SERVER_INFO = {
  name: packageJson.name,
  title: BRAND.name,
  version: packageJson.version,
  websiteUrl: packageJson.homepage,
  icons: [{ src: ICON, mimeType: 'image/svg+xml', sizes: ['any'] }],
};

/** What a session offers doesn't change, and between sessions only with the API key's scopes. */
const SERVER_OPTIONS = {
  capabilities: { tools: { listChanged: false } },
  cacheHints: { 'tools/list': { ttlMs: 60 * 60 * 1000 } },
  instructions: [
    `Tools for ${BRAND.name}: create QR codes, publish them, change where printed codes point, draw them and list their scans.`,
    "A code's short link works only once it is published. Tools take a code's ID or short link, not its name: find_qr_codes finds it.",
    `No tool archives, deletes or renames a code: ask the user to do that in the app, ${BRAND.appUrl}.`,
    'If a tool you need is missing, call whoami to see why.',
  ].join(' '),
};

/**
 * Returns a function that creates the server of a session, with the tools that the API key's scopes allow. Where the
 * service doesn't say which those are, or doesn't respond in time, it has all tools.
 * @param page shows results in clients with MCP Apps
 */
export function createServerFactory(options: Omit<Shared, 'memory'>, page: string): CreateServer {
  const { readOnly } = options;
  const shared: Shared = { ...options, memory: new CodeMemory() };
  const readAccount = accountReader(options.client);
  const sessions = new LRUCache<string, Session>({ max: MAX_SESSIONS });
  return async ({ id, showsPages }) => {
    const scopes = (await readAccount())?.scopes;
    const server = new McpServer(SERVER_INFO, SERVER_OPTIONS);
    const session = sessions.get(id) ?? createSession(id);
    sessions.set(id, session);
    const offered = TOOLS.filter((tool) => whyUnavailable(tool, scopes, readOnly) === undefined);
    const canDraw = offered.includes(renderQrCodes);
    if (showsPages) {
      registerPage(server, page);
      offered.push(previewQrCode);
    }
    for (const tool of offered) registerTool(server, tool, { ...shared, session, canDraw, showsPages });
    return server;
  };
}

/** What n8n and other clients add to the arguments of every tool. */
const ADDED_BY_CLIENTS = ['toolCallId', 'sessionId', 'action', 'chatInput', 'task_progress'];

function registerTool(server: McpServer, tool: Tool, shared: Omit<ToolCall, 'signal' | 'report'>): void {
  const { name, title, description, writesFiles = false } = tool;
  const annotations = writesFiles && shared.outFolder !== undefined ? WRITES : tool.annotations;
  const config = {
    title,
    description,
    annotations,
    inputSchema: argumentsSchema(tool.input),
    ...(tool.output === undefined ? {} : { outputSchema: resultSchema(tool.output) }),
    ...(shared.showsPages ? describePage(tool) : {}),
  };
  server.registerTool(name, config, async (fields, context: ServerContext) => {
    const call = { ...shared, signal: context.mcpReq.signal, report: progressOf(context) };
    try {
      const given = Object.entries(fields).filter(([field]) => !ADDED_BY_CLIENTS.includes(field));
      return toCallResult(await tool.run(call, readArguments(tool.input, Object.fromEntries(given), name)));
    } catch (thrown) {
      const error = toToolError(thrown);
      return toCallResult({ text: error.message, structured: { error }, isError: true });
    }
  });
}

function toCallResult({ text, structured, meta, content = [], isError = false }: ToolResult): CallToolResult {
  const parts = [{ type: 'text' as const, text }, ...content];
  const optional = omitUndefined({ structuredContent: structured, _meta: meta });
  return { content: parts, ...optional, ...(isError && { isError }) };
}

/** Sends progress notifications, if the request asks for them. Progress only ever increases. */
function progressOf({ mcpReq }: ServerContext): ToolCall['report'] {
  const progressToken = mcpReq._meta?.progressToken;
  let last = 0;
  return (progress, total, message) => {
    if (progressToken === undefined || progress <= last || mcpReq.signal.aborted) return;
    last = progress;
    const params = { progressToken, progress, message, ...omitUndefined({ total }) };
    // A client that is gone needs no progress.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}
