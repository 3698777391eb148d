import type { ClientRequest, IncomingMessage } from 'node:http';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Transform } from 'node:stream';
import type { Transport, TransportRequest } from '@qr-service/core';
import { createTransport, type StreamedResponse } from '@qr-service/core/connector';

/** The client doesn't request any content coding, but some proxies compress anyway. */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * The core's transport over Node's own HTTP client, with connections that are kept alive: undici and `fetch` would take
 * 15 MB more memory. It never follows a redirect.
 */
export function nodeTransport(baseUrl: string): Transport {
  // Importing node:http from an ES module would take 12 MB more: Node.js then loads its WebSocket as well.
  const { request: start, Agent } = baseUrl.startsWith('https:')
    ? process.getBuiltinModule('node:https')
    : process.getBuiltinModule('node:http');
  const agent = new Agent({ keepAlive: true });
  const send = (request: TransportRequest, signal: AbortSignal) =>
    new Promise<StreamedResponse>((resolve, reject) => {
      const { method, url, headers, body } = request;
      const sent: ClientRequest = start(url, { method, headers: withLength(headers, body), agent, signal });
      sent.once('error', reject);
      sent.once('response', (response) => resolve(toStreamed(response)));
      sent.end(body);
    });
  return createTransport({
    send,
    sleep: async (ms, signal) => {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    },
  });
}

/** Without a length, Node.js would send a POST's empty body in chunks. */
function withLength(headers: Record<string, string>, body: string | undefined): Record<string, string> {
  return body === undefined ? headers : { ...headers, 'Content-Length': String(Buffer.byteLength(body)) };
}

function toStreamed(response: IncomingMessage): StreamedResponse {
  const { statusCode = 0, headers } = response;
  const decoder = DECODERS[headers['content-encoding']?.trim().toLowerCase() ?? '']?.();
  if (decoder === undefined) return { status: statusCode, headers, body: response };
  // `pipe` passes on no errors.
  response.once('error', (error) => decoder.destroy(error));
  decoder.once('close', () => response.destroy());
  return { status: statusCode, headers, body: response.pipe(decoder) };
}
