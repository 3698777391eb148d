import { createHash, randomUUID } from 'node:crypto';
import {
  CLIENT_INFO_META_KEY,
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import type { CreateServer, SessionInfo } from '../../server/createServerFactory.ts';
import type { HttpLimits } from './limits.ts';
import { Refusal, SERVER_ERROR, STOPPING } from './Refusal.ts';
import { HttpSessions } from './HttpSessions.ts';

/** How the SDK ends a request that was closed before it was answered. */
const CLOSED = 499;

/** The MCP endpoint for clients of every protocol version. */
export class Endpoint {
  readonly #sessions: HttpSessions;
  readonly #handler: McpHttpHandler;
  readonly #callers = new WeakMap<Request, SessionInfo>();
  /** Makes the sessions of this process different from those of others. */
  readonly #id = randomUUID();

  constructor(createServer: CreateServer, limits: HttpLimits, now: () => number) {
    this.#sessions = new HttpSessions(createServer, limits, now);
    this.#handler = createMcpHandler(
      ({ requestInfo }) => createServer((requestInfo && this.#callers.get(requestInfo)) ?? { id: this.#id }),
      { legacy: 'reject', maxSubscriptions: limits.subscriptions },
    );
  }

  /**
   * Serves a request.
   * @param message its body, parsed
   * @param send resolves when the response is complete
   * @throws Refusal
   */
  async serve(
    request: Request,
    message: unknown,
    send: (response: Response) => Promise<void>,
  ): Promise<void> {
    if (await isLegacyRequest(request, message)) return this.#sessions.serve(request, message, send);
    this.#callers.set(request, this.#client(message));
    const response = await this.#handler.fetch(request, { parsedBody: message });
    if (response.status === CLOSED) throw new Refusal(503, SERVER_ERROR, STOPPING);
    return send(response);
  }

  /** Ends all sessions and streams, and cancels all calls. */
  async close(): Promise<void> {
    await Promise.all([this.#sessions.close(), this.#handler.close()]);
  }

  /** Since 2026-07-28 there are no sessions: all requests of a client, recognized by its name, count as one. */
  #client(message: unknown): SessionInfo {
    const name = `${this.#id} ${clientName(message)}`;
    return { id: createHash('sha256').update(name).digest('hex') };
  }
}

function clientName(message: unknown): string {
  const { params } = (message ?? {}) as {
    params?: { _meta?: Record<string, { name?: unknown } | undefined> };
  };
  return String(params?._meta?.[CLIENT_INFO_META_KEY]?.name);
}
