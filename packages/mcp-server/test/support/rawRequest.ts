/** Parts of a raw HTTP request. What isn't given is what a valid request has. */
export interface RawRequest {
  method?: string;
  path?: string;
  /** Instead of a valid request's header of the same name; undefined for none. */
  headers?: Record<string, string | undefined>;
  /** Header lines as they are, after the others. */
  lines?: string[];
  body?: string;
}

export const RAW_TOKEN = 'token-of-these-tests';

export const MESSAGES = {
  initialize: {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  },
  ping: { jsonrpc: '2.0', id: 2, method: 'ping' },
  /** A request of a client of 2026-07-28, which needs no session. */
  modern: (method: string, params: object, id = 3) => ({
    jsonrpc: '2.0',
    id,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }),
  /** A call of such a client. */
  call: (name: string, args: object = {}, id = 3) =>
    MESSAGES.modern('tools/call', { name, arguments: args }, id),
};

/** Headers of a call of a client of 2026-07-28. */
export const callHeaders = (name: string) => ({
  'Mcp-Protocol-Version': '2026-07-28',
  'Mcp-Method': 'tools/call',
  'Mcp-Name': name,
});

/** Writes a request as it goes over the wire. Valid, except for the given parts. */
export function rawRequest({
  method = 'POST',
  path = '/mcp',
  headers = {},
  lines = [],
  body = JSON.stringify(MESSAGES.initialize),
}: RawRequest = {}): string {
  const all: Record<string, string | undefined> = {
    Host: '127.0.0.1',
    Authorization: `Bearer ${RAW_TOKEN}`,
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const head = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  return [`${method} ${path} HTTP/1.1`, ...head, ...lines, '', body].join('\r\n');
}
