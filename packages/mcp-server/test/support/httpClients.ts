import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** The versions of the protocol, as the official client speaks them. */
export const ERAS = { '2025-11-25': 'legacy', '2026-07-28': { pin: '2026-07-28' } } as const;
export type Era = keyof typeof ERAS;

/** A connected official client. */
export interface ConnectedClient {
  client: Client;
  transport: StreamableHTTPClientTransport;
}

/** Connects the official client. */
export async function connectClient(
  url: string,
  token: string,
  era: Era,
  name = 'test',
): Promise<ConnectedClient> {
  const client = new Client({ name, version: '1.0.0' }, { versionNegotiation: { mode: ERAS[era] } });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  return { client, transport };
}

/** Calls a tool and returns its text. */
export async function callText(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  const [first] = content as { text: string }[];
  return first!.text;
}

/** One response of a raw connection. */
export interface RawResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A connection without an HTTP library, which may send anything. */
interface RawConnection {
  socket: Socket;
  send: (bytes: string | Uint8Array) => void;
  /** Everything received so far. */
  received: () => string;
  /** Resolves when the server closes the connection. */
  closed: Promise<void>;
}

/** Connects to the server's port. */
export async function rawConnection(url: string): Promise<RawConnection> {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  // A server that refuses a request may close while this still sends.
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await once(socket, 'connect');
  return { socket, send: (bytes) => void socket.write(bytes), received: () => text, closed };
}

/** Splits what a connection received into responses. */
export function parseResponses(text: string): RawResponse[] {
  const responses: RawResponse[] = [];
  for (let rest = text; rest.startsWith('HTTP/1.1 ');) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) break;
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.split(':', 1)[0]!.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const next = rest.indexOf('HTTP/1.1 ', end);
    responses.push({
      status: Number(statusLine.split(' ')[1]),
      headers,
      body: rest.slice(end + 4, next < 0 ? undefined : next),
    });
    rest = next < 0 ? '' : rest.slice(next);
  }
  return responses;
}
