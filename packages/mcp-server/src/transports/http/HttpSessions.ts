import { randomUUID } from 'node:crypto';
import {
  INVALID_REQUEST,
  isInitializeRequest,
  isJSONRPCRequest,
  WebStandardStreamableHTTPServerTransport,
  type McpServer,
  type RequestId,
} from '@modelcontextprotocol/server';
import type { CreateServer } from '../../server/createServerFactory.ts';
import type { HttpLimits } from './limits.ts';
import { Refusal, SERVER_ERROR, SESSION_NOT_FOUND, STOPPING } from './Refusal.ts';

interface Session {
  server: McpServer;
  transport: WebStandardStreamableHTTPServerTransport;
  /** Requests and streams in progress. */
  uses: number;
  /** IDs of the messages that wait for a response. */
  unanswered: Set<RequestId>;
  /** When the last of them ended. */
  idleSince: number;
}

/** Seconds until a client may try again for a session. */
const RETRY_AFTER_SECONDS = 30;

/** The sessions of clients before protocol 2026-07-28. Expired ones end at the next request. */
export class HttpSessions {
  readonly #createServer: CreateServer;
  readonly #limits: Pick<HttpLimits, 'sessions' | 'sessionIdleMs'>;
  readonly #now: () => number;
  /** The one used longest ago comes first. */
  readonly #sessions = new Map<string, Session>();
  /** Sessions whose server is still being made. */
  #opening = 0;

  constructor(
    createServer: CreateServer,
    limits: Pick<HttpLimits, 'sessions' | 'sessionIdleMs'>,
    now: () => number,
  ) {
    this.#createServer = createServer;
    this.#limits = limits;
    this.#now = now;
  }

  /**
   * Serves a request in its session, which `initialize` opens.
   * @param send resolves when the response is complete
   * @throws Refusal if there is no such session, or too many
   */
  async serve(request: Request, body: unknown, send: (response: Response) => Promise<void>): Promise<void> {
    this.#expire();
    const id = request.headers.get('mcp-session-id');
    const session = id === null ? await this.#open(body) : this.#find(id);
    const ids = [body]
      .flat()
      .filter(isJSONRPCRequest)
      .map((message) => message.id);
    for (const each of ids) session.unanswered.add(each);
    try {
      await send(await session.transport.handleRequest(request, { parsedBody: body }));
    } finally {
      for (const each of ids) session.unanswered.delete(each);
      session.uses--;
      session.idleSince = this.#now();
      // It didn't accept the first request, so no client knows it.
      if (session.transport.sessionId === undefined) await session.server.close();
    }
  }

  /** Ends all sessions, with their streams and calls. Without a response, clients would wait for their time limit. */
  async close(): Promise<void> {
    const error = { code: SERVER_ERROR, message: STOPPING };
    const end = async ({ server, transport, unanswered }: Session) => {
      for (const id of unanswered) await transport.send({ jsonrpc: '2.0', id, error }).catch(() => undefined);
      await server.close();
    };
    await Promise.all([...this.#sessions.values()].map(end));
  }

  #find(id: string): Session {
    const session = this.#sessions.get(id);
    if (session === undefined)
      throw new Refusal(
        404,
        SESSION_NOT_FOUND,
        'Session not found: it ended or expired. Send initialize without Mcp-Session-Id to start a new one.',
      );
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    session.uses++;
    return session;
  }

  async #open(body: unknown): Promise<Session> {
    if (!isInitializeRequest(body))
      throw new Refusal(
        400,
        INVALID_REQUEST,
        'Send initialize first, with protocolVersion, capabilities and clientInfo, then its Mcp-Session-Id with every request.',
      );
    this.#makeRoom();
    const id = randomUUID();
    this.#opening++;
    try {
      const server = await this.#createServer({ id });
      const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id });
      const session = {
        server,
        transport,
        uses: 1,
        unanswered: new Set<RequestId>(),
        idleSince: this.#now(),
      };
      await server.connect(transport);
      this.#sessions.set(id, session);
      const { onclose } = server.server;
      server.server.onclose = () => {
        this.#sessions.delete(id);
        onclose?.();
      };
      return session;
    } finally {
      this.#opening--;
    }
  }

  /** Ends the session that has been idle longest if there is no room for another one. */
  #makeRoom(): void {
    if (this.#sessions.size + this.#opening < this.#limits.sessions) return;
    const idle = [...this.#sessions.values()].find(({ uses }) => uses === 0);
    if (idle === undefined)
      throw new Refusal(
        503,
        SERVER_ERROR,
        `All ${this.#limits.sessions} sessions are in use. Close a client, or try again in ${RETRY_AFTER_SECONDS} seconds.`,
        { 'Retry-After': RETRY_AFTER_SECONDS },
      );
    this.#end(idle);
  }

  #expire(): void {
    const oldest = this.#now() - this.#limits.sessionIdleMs;
    for (const session of this.#sessions.values())
      if (session.uses === 0 && session.idleSince <= oldest) this.#end(session);
  }

  #end({ server }: Session): void {
    void server.close();
  }
}
