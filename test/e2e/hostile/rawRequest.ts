import { connect } from 'node:net';

/** Time limit for a response, in milliseconds. */
const TIMEOUT_MS = 30_000;
/** Number of characters to keep of a response. */
const MAX_RECEIVED = 4096;
/** Type of a response that never ends. */
const STREAM = /^content-type: (?:application\/x-ndjson|text\/event-stream)\b/im;

/** A header, sent without validation: it may be duplicate, empty or contain invalid bytes. */
export type RawHeader = readonly [name: string, value: string];

/** A request that no well-behaved client could send. Text is encoded as Latin-1. */
export interface RawRequest {
  method: string;
  /** Target in the request line. */
  target: string;
  headers: readonly RawHeader[];
  body?: Uint8Array;
  /** Framing of the body: its real length (default), chunks, none, or this Content-Length. */
  framing?: 'length' | 'chunked' | 'none' | number;
}

/** The response to a raw request. */
export interface RawResponse {
  /** 0 if the connection was closed without a response, NaN after a timeout. */
  status: number;
  /** Start of the body. */
  body: string;
}

/** Sends a request over a new connection, and reads the response until the connection is closed. Leaves streams at once. */
export function send(port: number, request: RawRequest): Promise<RawResponse> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    let timedOut = false;
    const deadline = setTimeout(() => {
      timedOut = true;
      socket.destroy();
    }, TIMEOUT_MS);
    socket.on('data', (chunk) => {
      if (received.length < MAX_RECEIVED) received += chunk.toString('latin1').slice(0, MAX_RECEIVED);
      if (STREAM.test(received)) socket.destroy();
    });
    // The data received before a reset is more informative than the reset itself.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(deadline);
      resolve(timedOut ? { status: NaN, body: '' } : parseResponse(received));
    });
    socket.on('connect', () => {
      socket.write(head(request), 'latin1');
      const { body = new Uint8Array(), framing = 'length' } = request;
      const sent = framing === 'chunked' ? inChunks(body) : body;
      // If the announced length is too large, end the request here. Otherwise wait for the response.
      if (typeof framing === 'number' && framing > body.length) socket.end(sent);
      else socket.write(sent);
    });
  });
}

/** The request line and headers, including the final blank line. */
export function head({ method, target, headers, body, framing = 'length' }: RawRequest): string {
  const lines = [`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  const length = typeof framing === 'number' ? framing : (body?.length ?? 0);
  if (framing === 'chunked') lines.push('Transfer-Encoding: chunked');
  else if (framing !== 'none') lines.push(`Content-Length: ${length}`);
  return `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`;
}

const CHUNK = 64 * 1024;

function inChunks(body: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < body.length; at += CHUNK) {
    const part = body.subarray(at, at + CHUNK);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

function parseResponse(text: string): RawResponse {
  const final = text.replace(/^HTTP\/1\.1 100 .*?\r\n\r\n/s, '');
  const status = /^HTTP\/1\.1 (\d{3})/.exec(final)?.[1];
  return { status: Number(status ?? 0), body: final.slice(final.indexOf('\r\n\r\n') + 4) };
}
