import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createNodeServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { CLIENT_INFO_META_KEY, createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import { readToken, TOKEN_VARIABLE, UsageError } from '../config/config.ts';
import type { CreateServer } from '../server/createServerFactory.ts';
import { showsPages } from '../server/resultsPage.ts';
import { createHttpSessions, type Calls } from './httpSessions.ts';
import { withoutNulls } from './messages.ts';

const ENDPOINT = '/mcp';

/** Time for calls in progress to finish when the server stops, in milliseconds. */
const SHUTDOWN_MS = 5_000;

/**
 * Serves MCP clients on this machine over streamable HTTP.
 * @throws UsageError if the port can't be used
 */
export async function startHttp(
  createServer: CreateServer,
  options: { port: number; token: string; log: (message: string) => void; shutdownMs?: number },
) {
  const { port, token, log, shutdownMs = SHUTDOWN_MS } = options;
  const isLocalHost = localhostHostValidation();
  const isLocalPage = localhostOriginValidation();
  const calls: Calls = new Map();
  const onerror = (error: unknown) => log(String(error));
  const handler = createEndpoint(createServer, onerror, calls);
  const serve = toNodeHandler(handler, { onerror });

  function answer(req: IncomingMessage, res: ServerResponse): void {
    if (!isLocalHost(req, res) || !isLocalPage(req, res)) return;
    if (req.url?.split('?', 1)[0] !== ENDPOINT) refuse(res, 404, WRONG_PATH);
    else if (!hasToken(req.headers.authorization, token)) refuse(res, 401, WRONG_TOKEN);
    else if (Number(req.headers['content-length']) > MAX_BODY_BYTES)
      req.resume().once('end', () => refuse(res, 413, TOO_LARGE));
    else serveEndpoint(req, res);
  }

  function serveEndpoint(req: IncomingMessage, res: ServerResponse): void {
    // No handler needs the token.
    delete req.headers.authorization;
    // The SDK stops reading a body that is too large. The rest must be read before the client can read why.
    req[Symbol.asyncIterator] = async function* () {
      try {
        return yield* req.iterator({ destroyOnReturn: false });
      } finally {
        await finished(req.resume());
      }
    };
    const served = serve(req as Parameters<typeof serve>[0], res)
      .catch(onerror)
      .finally(() => calls.delete(served));
    if (req.method === 'POST') calls.set(served, String(req.headers['mcp-session-id']));
  }

  // This machine only.
  const server = createNodeServer(answer).listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error: unknown) => {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `Can't listen on port ${port} (${code}). Stop the program that uses it, or choose another port with --http.`,
    );
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${ENDPOINT}`,
    /** Lets calls in progress finish for a few seconds, cancels the rest, and ends all sessions and connections. */
    async close(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      await Promise.race([Promise.all(calls.keys()), delay(shutdownMs)]);
      await handler.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The endpoint for clients of every protocol version. */
function createEndpoint(createServer: CreateServer, onerror: (error: unknown) => void, calls: Calls) {
  const sessions = createHttpSessions(createServer, calls);
  const processId = randomUUID();
  // Since 2026-07-28 there are no sessions: all requests of a client, recognized by its name, count as one.
  const handler = createMcpHandler(
    ({ authInfo }) => createServer(authInfo?.extra as Parameters<CreateServer>[0]),
    {
      legacy: 'reject',
      onerror,
    },
  );
  return {
    async fetch(request: Request): Promise<Response> {
      const copy = request.clone();
      const parsedBody = withoutNulls(await copy.json().catch(() => undefined));
      if (await isLegacyRequest(request, parsedBody)) return sessions.serve(request, parsedBody);
      const extra = { id: `${processId} ${clientName(parsedBody)}`, showsPages: showsPages(parsedBody) };
      const authInfo = { token: '', clientId: '', scopes: [], extra };
      return handler.fetch(request, { authInfo, parsedBody });
    },
    async close(): Promise<void> {
      sessions.close();
      await handler.close();
    },
  };
}

function clientName(message: unknown): string {
  type Message = { params?: { _meta?: Record<string, { name?: unknown }> } } | null | undefined;
  return String((message as Message)?.params?._meta?.[CLIENT_INFO_META_KEY]?.name);
}

/** Checks an `Authorization` header, in a time that says nothing about the token. */
function hasToken(authorization: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const given = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

const rpcError = (message: string) => ({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } });

/** The SDK would cut the connection before a client can read why. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const TOO_LARGE = rpcError('A request may have at most 4 MiB. Split it into several calls.');

/** Clients look for OAuth on other paths, and show the description of its errors. */
const WRONG_PATH = {
  error: 'not_found',
  error_description: `The MCP endpoint is ${ENDPOINT}. This server has no OAuth: send its token as Authorization: Bearer TOKEN.`,
};

const WRONG_TOKEN = rpcError(
  `Send this server's token as Authorization: Bearer TOKEN. It was printed when the server started, unless ${TOKEN_VARIABLE} sets it.`,
);

function refuse(res: ServerResponse, status: number, body: object): void {
  if (status === 401) res.setHeader('WWW-Authenticate', 'Bearer realm="qr-service-mcp"');
  res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

/**
 * Serves HTTP until stopped. Logs its address and how to add it to a client.
 * @throws UsageError if the port or the token can't be used
 */
export async function serveOverHttp(
  createServer: CreateServer,
  { port, log, stopped }: { port: number; log: (message: string) => void; stopped: AbortSignal },
): Promise<void> {
  const token = readToken(process.env);
  const server = await startHttp(createServer, { port, token: token.value, log });
  log(`listening at ${server.url}
Token: ${token.isNew ? `${token.value} (for this start only; set ${TOKEN_VARIABLE} to keep one)` : `the one in ${TOKEN_VARIABLE}`}
Add it to a client with this URL and the header "Authorization: Bearer TOKEN", for example to Claude Code:
  claude mcp add --transport http qr-service ${server.url} --header "Authorization: Bearer TOKEN"`);
  if (!stopped.aborted) await once(stopped, 'abort');
  await server.close();
}
