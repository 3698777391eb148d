import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport, type McpServer } from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import type { CreateServer } from '../server/createServerFactory.ts';

/** Open sessions. One more ends the one used longest ago. */
const MAX_SESSIONS = 64;

/** Clients recognize a lost session by this code and these words. */
const LOST = { code: -32_001, message: 'Session not found: it has ended. Send initialize for a new one.' };

/**
 * The sessions of clients before protocol 2026-07-28, such as n8n's. The SDK could serve them without, but then they can't
 * cancel calls, and have no identity from which Idempotency-Keys are made.
 */
export class HttpSessions {
  readonly #createServer: CreateServer;
  readonly #sessions = new LRUCache<
    string,
    { server: McpServer; transport: WebStandardStreamableHTTPServerTransport }
  >({ max: MAX_SESSIONS, dispose: ({ server }) => void server.close() });

  constructor(createServer: CreateServer) {
    this.#createServer = createServer;
  }

  /** Serves a request in its session, which `initialize` opens. */
  async serve(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) return this.#open(request);
    const session = this.#sessions.get(id);
    return session === undefined
      ? Response.json({ jsonrpc: '2.0', id: null, error: LOST }, { status: 404 })
      : session.transport.handleRequest(request);
  }

  /** Ends all sessions, with their streams and calls. */
  close(): void {
    this.#sessions.clear();
  }

  async #open(request: Request): Promise<Response> {
    const id = randomUUID();
    const server = await this.#createServer({ id });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessioninitialized: () => void this.#sessions.set(id, { server, transport }),
      onsessionclosed: () => void this.#sessions.delete(id),
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request);
    // It wasn't a valid `initialize`.
    if (!this.#sessions.has(id)) await server.close();
    return response;
  }
}
