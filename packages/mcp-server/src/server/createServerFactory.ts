import { McpServer } from '@modelcontextprotocol/server';
import type { QrServiceClient } from '@qr-service/core';
import { BRAND, OPERATION_SCOPES } from '@qr-service/core/connector';
import packageJson from '../../package.json' with { type: 'json' };
import { toToolError } from '../errors/toolError.ts';
import { argumentsSchema, resultSchema } from '../schemas/toolSchema.ts';
import { Accounts } from '../session/Accounts.ts';
import { TOOLS } from '../tools/index.ts';
import type { Tool } from '../tools/Tool.ts';

/** What all sessions of a process share. */
export interface ServerOptions {
  client: QrServiceClient;
  /** Whether to offer no tool that writes. */
  readOnly: boolean;
}

/** One connection, or one session of a connection. */
export interface SessionInfo {
  /** Unique; Idempotency-Keys are made from it. */
  id: string;
}

/** Creates the server of a session. */
export type CreateServer = (session: SessionInfo) => Promise<McpServer>;

/**
 * Returns a function that creates the server of a session, with the tools that the API key's scopes allow. Where the
 * service doesn't say which those are, or doesn't respond in time, it has all tools.
 */
export function createServerFactory({ client, readOnly }: ServerOptions): CreateServer {
  const accounts = new Accounts(client);
  return async (_session) => {
    const scopes = (await accounts.atStart())?.scopes;
    const server = new McpServer(
      { name: packageJson.name, title: BRAND.name, version: packageJson.version },
      { capabilities: { tools: { listChanged: false } } },
    );
    const offered = TOOLS.filter(
      (tool) => isAllowed(tool, scopes) && (tool.annotations.readOnlyHint || !readOnly),
    );
    for (const tool of offered) register(server, tool, client);
    return server;
  };
}

function isAllowed({ operations }: Tool, scopes: readonly string[] | undefined): boolean {
  return operations.every((operation) => {
    const scope = OPERATION_SCOPES[operation];
    return scope === undefined || scopes === undefined || scopes.includes(scope);
  });
}

function register(server: McpServer, tool: Tool, client: QrServiceClient): void {
  const { name, title, description, annotations } = tool;
  const config = {
    title,
    description,
    annotations,
    inputSchema: argumentsSchema(tool.input),
    outputSchema: resultSchema(tool.output),
  };
  server.registerTool(name, config, async (args, { mcpReq }) => {
    const { signal } = mcpReq;
    try {
      const {
        text,
        structured,
        content = [],
        isError = false,
      } = await tool.run({
        client,
        args,
        signal,
        progress: () => undefined,
      });
      return {
        content: [{ type: 'text', text }, ...content],
        structuredContent: structured,
        ...(isError ? { isError } : {}),
      };
    } catch (thrown) {
      const error = toToolError(thrown);
      return {
        content: [{ type: 'text', text: error.message }],
        structuredContent: { error },
        isError: true,
      };
    }
  });
}
