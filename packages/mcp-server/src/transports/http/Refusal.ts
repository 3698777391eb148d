import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** A request that is refused. The message tells the client what to do. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  /** Of JSON-RPC; 0 for a path without an MCP endpoint. */
  readonly code: number;
  readonly headers: OutgoingHttpHeaders;

  constructor(status: number, code: number, message: string, headers: OutgoingHttpHeaders = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** JSON-RPC's range for errors of a server. */
export const SERVER_ERROR = -32_000;
/** What a client is told whose request is refused or canceled for that. */
export const STOPPING = 'The server is stopping.';
/** Clients recognize a lost session by this code and the words "Session not found". */
export const SESSION_NOT_FOUND = -32_001;

/** Sends the refusal, unless the client is gone or a response has started. */
export function sendRefusal(res: ServerResponse, refusal: Refusal): void {
  if (res.headersSent || res.destroyed) {
    res.destroy();
    return;
  }
  const { status, code, message, headers } = refusal;
  // Clients look for OAuth's metadata on other paths and show the description of OAuth's errors.
  const body =
    code === 0
      ? { error: 'not_found', error_description: message }
      : { jsonrpc: '2.0', error: { code, message }, id: null };
  res.writeHead(status, { ...headers, 'Content-Type': 'application/json' });
  res.end(JSON.stringify(body));
}
