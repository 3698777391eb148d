import { McpServer, type CallToolResult, type ServerContext } from '@modelcontextprotocol/server';
import type { QrServiceClient } from '@qr-service/core';
import { BRAND, INPUTS } from '@qr-service/core/connector';
import packageJson from '../../package.json' with { type: 'json' };
import { isAboutCode, toToolError } from '../errors/toolError.ts';
import { Arguments } from '../schemas/Arguments.ts';
import { argumentsSchema, resultSchema } from '../schemas/toolSchema.ts';
import { Accounts } from '../session/Accounts.ts';
import type { OutputFolder } from '../session/OutputFolder.ts';
import type { Session } from '../session/Session.ts';
import { Sessions } from '../session/Sessions.ts';
import { Targets } from '../session/Targets.ts';
import { Turns } from '../session/Turns.ts';
import { lines } from '../tools/codeResult.ts';
import { TOOLS } from '../tools/index.ts';
import { renderQrCodes } from '../tools/renderQrCodes.ts';
import { ADDS, type Shared, type Tool, type ToolResult } from '../tools/Tool.ts';
import { whyUnavailable } from '../tools/whoami.ts';
import { ICON } from './icon.ts';
import { progressOf } from './progressOf.ts';

/** What all sessions of a process share. */
interface ServerOptions {
  client: QrServiceClient;
  /** Whether to offer no tool that writes. */
  readOnly: boolean;
  /** Folder that images may be written to, if any. */
  outFolder: OutputFolder | undefined;
}

/** One connection, or one session of a connection. */
export interface SessionInfo {
  /** Unique; Idempotency-Keys are made from it. */
  id: string;
}

/** Creates the server of a session. */
export type CreateServer = (session: SessionInfo) => Promise<McpServer>;

/** What a session offers doesn't change. */
const CAPABILITIES = { tools: { listChanged: false } };

/** How long clients may keep the list of tools, in milliseconds: it changes only with the API key's scopes. */
const CACHE_HINTS = { 'tools/list': { ttlMs: 60 * 60 * 1000 } };

const INSTRUCTIONS = [
  `Tools for ${BRAND.name}: create QR codes, publish them, change where printed codes point, draw them and list their scans.`,
  "A code's short link works only once it is published. Tools take a code's ID or short link, not its name: find_qr_codes finds it.",
  `No tool archives, deletes or renames a code: ask the user to do that in the app, ${BRAND.appUrl}.`,
  'If a tool you need is missing, call whoami to see why.',
].join(' ');

/**
 * Returns a function that creates the server of a session, with the tools that the API key's scopes allow. Where the
 * service doesn't say which those are, or doesn't respond in time, it has all tools.
 */
export function createServerFactory(options: ServerOptions): CreateServer {
  const { readOnly } = options;
  const shared: Shared = { ...options, targets: new Targets(), retargets: new Turns() };
  const accounts = new Accounts(options.client);
  const sessions = new Sessions();
  return async ({ id }) => {
    const scopes = (await accounts.atStart())?.scopes;
    const server = new McpServer(
      {
        name: packageJson.name,
        title: BRAND.name,
        version: packageJson.version,
        websiteUrl: packageJson.homepage,
        icons: [ICON],
      },
      { instructions: INSTRUCTIONS, capabilities: CAPABILITIES, cacheHints: CACHE_HINTS },
    );
    const session = sessions.get(id);
    const offered = TOOLS.filter((tool) => whyUnavailable(tool, { scopes, readOnly }) === undefined);
    const canDraw = offered.includes(renderQrCodes);
    for (const tool of offered) registerTool(server, tool, { ...shared, session, canDraw });
    return server;
  };
}

function registerTool(
  server: McpServer,
  tool: Tool,
  shared: Shared & { session: Session; canDraw: boolean },
): void {
  const { name, title, description, writesFiles = false } = tool;
  const annotations = writesFiles && shared.outFolder !== undefined ? ADDS : tool.annotations;
  const config = {
    title,
    description,
    annotations,
    inputSchema: argumentsSchema(tool.input),
    ...(tool.output === undefined ? {} : { outputSchema: resultSchema(tool.output) }),
  };
  server.registerTool(name, config, async (fields, context: ServerContext) => {
    const { signal } = context.mcpReq;
    const args = new Arguments(fields);
    const call = { ...shared, args, signal, report: progressOf(context) };
    const result = await tool.run(call).catch((thrown: unknown) => toErrorResult(thrown, tool));
    // An error may come before everything is read.
    const unread = args.unread.filter(
      (argument) => result.isError !== true || !(argument in tool.input.shape),
    );
    return toCallResult(result, name, unread);
  });
}

function toErrorResult(thrown: unknown, { input }: Tool): ToolResult {
  const error = toToolError(thrown);
  const isCode = isAboutCode(thrown) || error.argument === INPUTS.qrCodeId.label;
  const argument = ['code', 'codes'].find((name) => name in input.shape);
  if (argument !== undefined && isCode) error.argument = argument;
  return { text: error.message, structured: { error }, isError: true };
}

/**
 * Names the arguments that don't exist, as a model may believe that they have narrowed a search: in the text and in the
 * structured content, because some clients show a model only one of them.
 */
function toCallResult(
  { text, structured, content = [], isError = false }: ToolResult,
  tool: string,
  unread: string[],
): CallToolResult {
  const isIgnoring = unread.length > 0;
  const ignored = isIgnoring ? `Had no effect, as ${tool} has no such argument: ${unread.join(', ')}.` : '';
  const data = { ...structured, ...(isIgnoring ? { ignoredArguments: unread } : {}) };
  return {
    content: [{ type: 'text', text: lines(ignored, text) }, ...content],
    ...(structured === undefined ? {} : { structuredContent: data }),
    ...(isError ? { isError } : {}),
  };
}
