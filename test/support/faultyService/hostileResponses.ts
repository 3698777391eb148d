import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { CODE, trickle, type RequestHandler } from './faultyService.ts';

/** A response that never ends by itself, with its effects. */
export interface Flood {
  handler: RequestHandler;
  /** Bytes sent over all connections. */
  bytesSent: () => number;
  /** Resolves once every connection is closed. */
  whenClosed: () => Promise<unknown>;
}

interface FloodOptions {
  status?: number;
  headers?: Record<string, string>;
  /** Start of the body. */
  prefix?: string;
  /** The rest of the body, repeated endlessly. */
  filler: string;
  /** Sends a gzip bomb. */
  gzip?: boolean;
}

/** Creates an endless response, sent as fast as the client reads. */
function flood({ status = 200, headers = {}, prefix = '', filler, gzip = false }: FloodOptions): Flood {
  const sockets = new Set<Socket>();
  const handler: RequestHandler = (request, response) => {
    sockets.add(request.socket);
    response.writeHead(status, { ...headers, ...(gzip ? { 'Content-Encoding': 'gzip' } : {}) });
    const body = Readable.from(chunks(prefix, filler), { objectMode: false });
    const sending = gzip ? pipeline(body, createGzip({ level: 1 }), response) : pipeline(body, response);
    // The client is expected to close the connection.
    sending.catch(() => undefined);
  };
  const closed = async (socket: Socket) => {
    if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  };
  const whenClosed = () => Promise.all([...sockets].map(closed));
  return {
    handler,
    bytesSent: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
    whenClosed,
  };
}

function* chunks(prefix: string, filler: string): Generator<Buffer> {
  yield Buffer.from(prefix);
  const chunk = Buffer.from(filler.repeat(Math.ceil(65_536 / filler.length)));
  for (;;) yield chunk;
}

const GIGABYTE = { 'Content-Length': String(2 ** 30) };
const PNG = { 'Content-Type': 'image/png' };
const PNG_START = '\x89PNG\r\n\x1a\n';
const ROW = `${JSON.stringify(CODE)},`;

/** Oversized lists, with the number of bytes that may be sent before the client closes the connection. */
export const HUGE_LISTS: [what: string, start: () => Flood, maxBytes: number][] = [
  ['an endless list of rows', () => flood({ prefix: '{"data":[', filler: ROW }), 30e6],
  [
    'a list with a Content-Length of 1 GB',
    () => flood({ headers: GIGABYTE, prefix: '{"data":[', filler: ROW }),
    10e6,
  ],
  ['an endless string', () => flood({ prefix: '{"data":"', filler: 'a' }), 30e6],
];

/** The same, compressed with gzip. */
export const BOMBS: typeof HUGE_LISTS = [
  ['an endless gzipped list of rows', () => flood({ prefix: '{"data":[', filler: ROW, gzip: true }), 10e6],
  ['endless gzipped blanks', () => flood({ filler: ' ', gzip: true }), 10e6],
];

/** Oversized images. */
export const HUGE_IMAGES: typeof HUGE_LISTS = [
  [
    'an image with a Content-Length of 1 GB',
    () => flood({ headers: { ...PNG, ...GIGABYTE }, filler: PNG_START }),
    10e6,
  ],
  ['an endless image', () => flood({ headers: PNG, prefix: PNG_START, filler: '\0' }), 90e6],
];

/** Oversized error responses, with a status that isn't retried. */
export const HUGE_ERRORS: typeof HUGE_LISTS = [
  ['an endless error response', () => flood({ status: 404, prefix: '{"message":"', filler: 'a' }), 10e6],
  ['an error response of 1 GB', () => flood({ status: 404, headers: GIGABYTE, filler: ' ' }), 10e6],
];

/** An error response that echoes the request's headers: a megabyte of them, with control characters. */
export const echo: RequestHandler = ({ headers }, response) => {
  const echoed = `${JSON.stringify(headers)} \u0007\u001b[31m\u202e`;
  const body = {
    message: `${'a'.repeat(990)}${echoed}${echoed.repeat(1000)}`,
    code: echoed.repeat(100),
    requestId: echoed.repeat(100),
    details: { [echoed]: echoed, list: Array.from({ length: 1000 }, () => echoed) },
  };
  response.writeHead(422, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
};

/** Headers that never end. */
const slowHeaders: RequestHandler = ({ socket }) => {
  socket.write('HTTP/1.1 200 OK\r\nX-Slow: a');
  const timer = setInterval(() => socket.write('a'), 5);
  socket.on('close', () => clearInterval(timer));
};

/** Slow responses, by the part that never ends. */
export const SLOW_RESPONSES: [what: string, handler: RequestHandler][] = [
  ['a body that trickles', trickle],
  ['a body that stalls', (_request, response) => response.writeHead(200).write('{')],
  ['headers that trickle', slowHeaders],
];
