import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { Refusal, SERVER_ERROR } from './Refusal.ts';

/** Path of the only endpoint. */
export const ENDPOINT = '/mcp';

const METHODS = ['POST', 'GET', 'DELETE'];

/**
 * Refuses requests that another site's page could send: it can make its own host name resolve to this machine (DNS
 * rebinding), but it can't use a local host name or origin.
 * @throws Refusal
 */
export function requireLocal(req: IncomingMessage): void {
  const hosts = req.headersDistinct['host'] ?? [];
  if (hosts.length !== 1 || !validateHostHeader(hosts[0], localhostAllowedHostnames()).ok)
    throw new Refusal(403, SERVER_ERROR, 'Use this server at 127.0.0.1, localhost or [::1].');
  if (!validateOriginHeader(req.headers.origin, localhostAllowedOrigins()).ok)
    throw new Refusal(403, SERVER_ERROR, 'Only web pages from this machine (localhost) can use this server.');
}

/** Lets a local page, such as the MCP Inspector, read the response. Its origin has been checked. */
export function allowLocalPage(req: IncomingMessage, res: ServerResponse): void {
  const { origin } = req.headers;
  if (origin === undefined) return;
  res.setHeader('Access-Control-Allow-Origin', origin);
  res.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id, WWW-Authenticate');
  res.setHeader('Vary', 'Origin');
}

/** Whether this was a browser's question what a local page may send, which has been answered. */
export function answeredPreflight(req: IncomingMessage, res: ServerResponse): boolean {
  const asked = req.headers['access-control-request-headers'];
  if (req.method !== 'OPTIONS' || req.headers.origin === undefined) return false;
  res.setHeader('Access-Control-Allow-Methods', METHODS.join(', '));
  if (asked !== undefined) res.setHeader('Access-Control-Allow-Headers', asked);
  res.writeHead(204).end();
  return true;
}

/** @throws Refusal for any path but the endpoint */
export function requireEndpoint({ url = '' }: IncomingMessage): void {
  if (url.split('?', 1)[0] === ENDPOINT) return;
  throw new Refusal(
    404,
    0,
    `The MCP endpoint is ${ENDPOINT}. This server has no OAuth: send its token as Authorization: Bearer TOKEN.`,
  );
}

/** @throws Refusal if the request doesn't carry the token */
export function requireToken(req: IncomingMessage, isToken: (authorization?: string) => boolean): void {
  const { authorization } = req.headers;
  if (isToken(authorization)) return;
  const challenge = 'Bearer realm="qr-service-mcp"';
  throw new Refusal(
    401,
    SERVER_ERROR,
    "Send this server's token as Authorization: Bearer TOKEN. It was printed when the server started, unless QR_SERVICE_MCP_TOKEN sets it.",
    { 'WWW-Authenticate': authorization === undefined ? challenge : `${challenge}, error="invalid_token"` },
  );
}

/** @throws Refusal for a method that MCP doesn't use */
export function requireMethod({ method = '', headers }: IncomingMessage): void {
  const needsSession = method !== 'POST' && headers['mcp-session-id'] === undefined;
  if (METHODS.includes(method) && !needsSession) return;
  throw new Refusal(
    405,
    SERVER_ERROR,
    'Send MCP messages with POST. GET and DELETE need the Mcp-Session-Id header of an open session.',
    { Allow: METHODS.join(', ') },
  );
}
