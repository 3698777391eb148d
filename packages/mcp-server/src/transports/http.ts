import { createServer as createNodeServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { INTERNAL_ERROR } from '@modelcontextprotocol/server';
import type { CreateServer } from '../server/createServerFactory.ts';
import { Endpoint } from './http/Endpoint.ts';
import {
  allowLocalPage,
  answeredPreflight,
  ENDPOINT,
  requireEndpoint,
  requireLocal,
  requireMethod,
  requireToken,
} from './http/guards.ts';
import { InProgress } from './http/InProgress.ts';
import { HTTP_LIMITS, type HttpLimits } from './http/limits.ts';
import { listenOnLoopback } from './http/listenOnLoopback.ts';
import { readMessage } from './http/readMessage.ts';
import { Refusal, sendRefusal, SERVER_ERROR, STOPPING } from './http/Refusal.ts';
import { readToken, TOKEN_VARIABLE, tokenCheck } from './http/token.ts';
import { sendResponse, toRequest } from './http/webExchange.ts';

/** How to serve HTTP. */
interface HttpOptions {
  /** Port on the loopback interface, 0 for any free one. */
  port: number;
  /** What clients must send as `Authorization: Bearer`. */
  token: string;
  /** Receives a line about each failure of this server. */
  log: (message: string) => void;
  /** Current time in epoch milliseconds, for sessions that expire. */
  now?: () => number;
  limits?: Partial<HttpLimits>;
}

/** A server that accepts requests. */
export interface HttpServer {
  /** Address of the MCP endpoint. */
  url: string;
  /** Lets requests in progress finish for a few seconds, cancels the rest, and ends all sessions and connections. */
  close: () => Promise<void>;
}

/** Milliseconds for responses to canceled requests to be sent. */
const FLUSH_MS = 1_000;

/**
 * Serves MCP clients on this machine over streamable HTTP.
 * @throws UsageError if the port can't be used
 */
export async function startHttp(
  createServer: CreateServer,
  { port, token, log, now = Date.now, limits: changed }: HttpOptions,
): Promise<HttpServer> {
  const limits = { ...HTTP_LIMITS, ...changed };
  const isToken = tokenCheck(token);
  const exchanges = new InProgress();
  const calls = new InProgress();
  let isStopping = false;
  const endpoint = new Endpoint(logged(createServer, log), limits, now);

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (isStopping) throw new Refusal(503, SERVER_ERROR, STOPPING, { Connection: 'close' });
    requireLocal(req);
    allowLocalPage(req, res);
    if (answeredPreflight(req, res)) return;
    requireEndpoint(req);
    requireToken(req, isToken);
    requireMethod(req);
    const message = req.method === 'POST' ? await readMessage(req, limits) : undefined;
    const request = toRequest(req, res);
    const work = () =>
      endpoint.serve(request, message, (response) => sendResponse(res, response, limits.stallMs));
    if (!isCall(message)) return work();
    if (calls.count >= limits.requests)
      throw new Refusal(
        503,
        SERVER_ERROR,
        `${calls.count} requests are in progress. Try again in a second.`,
        {
          'Retry-After': 1,
        },
      );
    return calls.during(work);
  }

  function answer(req: IncomingMessage, res: ServerResponse): void {
    // A connection that breaks ends with "close", too.
    for (const stream of [req, res]) stream.on('error', () => undefined);
    void exchanges.during(() => serve(req, res).catch((error: unknown) => refuse(res, error, log)));
  }

  const listening = await listenOnLoopback(() => {
    const server = createNodeServer(
      {
        headersTimeout: limits.headersMs,
        requestTimeout: limits.requestMs,
        connectionsCheckingInterval: limits.headersMs / 2,
      },
      answer,
    );
    server.maxConnections = limits.connections;
    return server;
  }, port);

  return {
    url: `http://127.0.0.1:${listening.port}${ENDPOINT}`,
    async close() {
      isStopping = true;
      const closed = listening.servers.map((server) => new Promise((resolve) => server.close(resolve)));
      await calls.over(limits.shutdownMs);
      await endpoint.close();
      await exchanges.over(FLUSH_MS);
      for (const server of listening.servers) server.closeAllConnections();
      await Promise.all(closed);
    },
  };
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
  log(startedText(server.url, token.isNew ? token.value : undefined));
  if (!stopped.aborted)
    await new Promise<void>((resolve) => stopped.addEventListener('abort', () => resolve(), { once: true }));
  await server.close();
}

function startedText(url: string, newToken: string | undefined): string {
  const token =
    newToken === undefined
      ? `Token: the one in ${TOKEN_VARIABLE}`
      : `Token: ${newToken} (for this start only; set ${TOKEN_VARIABLE} to keep one)`;
  return `listening at ${url}
${token}
Add it to a client with this URL and the header "Authorization: Bearer TOKEN", for example to Claude Code:
  claude mcp add --transport http qr-service ${url} --header "Authorization: Bearer TOKEN"`;
}

/** Whether a message wants a response. Others, such as the one that cancels a call, are always accepted. */
function isCall(message: unknown): boolean {
  if (Array.isArray(message)) return message.some(isCall);
  if (typeof message !== 'object' || message === null || !('id' in message) || !('method' in message))
    return false;
  // Streams that last as long as the client have a limit of their own.
  return message.method !== 'subscriptions/listen';
}

function logged(createServer: CreateServer, log: (message: string) => void): CreateServer {
  return (session) =>
    createServer(session).catch((error: unknown) => {
      log(`can't start a session: ${String(error)}`);
      throw new Refusal(500, INTERNAL_ERROR, "The server can't start a session. Its log says why.");
    });
}

function refuse(res: ServerResponse, error: unknown, log: (message: string) => void): void {
  if (error instanceof Refusal) {
    sendRefusal(res, error);
    return;
  }
  if (!res.destroyed) log(`a request failed: ${String(error)}`);
  sendRefusal(res, new Refusal(500, INTERNAL_ERROR, 'The server failed. Its log says why.'));
}
