import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport as Transport } from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import type { CreateServer } from '../server/createServerFactory.ts';
import { showsPages } from '../server/resultsPage.ts';

/** Calls in progress, with the IDs of their sessions. */
export type Calls = Map<unknown, string>;

/** Open sessions. One more ends the one used longest ago, rather one without a call in progress. */
const MAX_SESSIONS = 64;

/** Clients recognize a lost session by this code and these words. */
const LOST = { code: -32_001, message: 'Session not found: it has ended. Send initialize for a new one.' };

/**
 * The sessions of clients before protocol 2026-07-28, such as n8n's. The SDK could serve them without, but then they can't
 * cancel calls, and have no identity from which Idempotency-Keys are made.
 */
export function createHttpSessions(createServer: CreateServer, calls: Calls) {
  const sessions = new LRUCache<string, Transport>({ max: MAX_SESSIONS, dispose: (old) => void old.close() });

  async function open(request: Request, parsedBody: unknown): Promise<Response> {
    const id = randomUUID();
    const transport = new Transport({
      sessionIdGenerator: () => id,
      onsessioninitialized: () => {
        // Looked up, they aren't the ones used longest ago.
        for (const busy of calls.values()) sessions.get(busy);
        sessions.set(id, transport);
      },
      onsessionclosed: () => void sessions.delete(id),
    });
    const server = await createServer({ id, showsPages: showsPages(parsedBody) });
    await server.connect(transport);
    const response = await transport.handleRequest(request, { parsedBody });
    // It wasn't a valid `initialize`.
    if (!sessions.has(id)) await transport.close();
    return response;
  }

  return {
    /** Serves a request in its session, which `initialize` opens. */
    async serve(request: Request, parsedBody: unknown): Promise<Response> {
      const id = request.headers.get('mcp-session-id');
      if (id === null) return open(request, parsedBody);
      const lost = () => Response.json({ jsonrpc: '2.0', id: null, error: LOST }, { status: 404 });
      return sessions.get(id)?.handleRequest(request, { parsedBody }) ?? lost();
    },
    /** Ends all sessions, with their streams and calls. */
    close: () => sessions.clear(),
  };
}
