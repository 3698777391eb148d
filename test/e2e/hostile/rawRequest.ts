import { connect } from 'node:net';

/** Milliseconds until an answer is given up. */
const TIMEOUT_MS = 30_000;
/** Characters of an answer that are kept. */
const MAX_RECEIVED = 4096;

/** A header as it is written: twice, empty or out of bytes that no client sends. */
export type RawHeader = readonly [name: string, value: string];

/** A request that no well-behaved client could send. Text is written as Latin-1, a byte a character. */
export interface RawRequest {
  method: string;
  /** What stands in the request line. */
  target: string;
  headers: readonly RawHeader[];
  body?: Uint8Array;
  /** How the body is announced: truly (default), in chunks, not at all, or with this length. */
  framing?: 'length' | 'chunked' | 'none' | number;
}

/** What came back. */
export interface RawResponse {
  /** 0 where the connection was closed without an answer, NaN where none came in time. */
  status: number;
  /** Its beginning. */
  body: string;
}

/** Sends a request over a connection of its own, and reads what comes back until the connection is closed. */
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
    });
    // What was received before says more than the reset of a connection that was closed early.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(deadline);
      resolve(timedOut ? { status: NaN, body: '' } : parseResponse(received));
    });
    socket.on('connect', () => {
      socket.write(head(request), 'latin1');
      const { body = new Uint8Array(), framing = 'length' } = request;
      const sent = framing === 'chunked' ? inChunks(body) : body;
      // One that announced more than it has ends here; any other waits for its answer.
      if (typeof framing === 'number' && framing > body.length) socket.end(sent);
      else socket.write(sent);
    });
  });
}

/** The request line and the headers, with their end. */
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
