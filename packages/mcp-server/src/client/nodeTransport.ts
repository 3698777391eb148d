import type { ClientRequest, IncomingMessage } from 'node:http';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Readable, Transform } from 'node:stream';
import type { Transport, TransportRequest } from '@qr-service/core';
import { createTransport, type StreamedResponse } from '@qr-service/core/connector';

/** The client doesn't request any content coding, but some proxies compress anyway. */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Node.js error codes for a body that can't be decompressed. */
const UNDECODABLE = /^(Z_|ERR_.*BROTLI|ERR__ERROR)/;

/**
 * The core's transport over Node's own HTTP client: undici and `fetch` would take 15 MB more memory. Node's default agent
 * keeps connections alive, and uses the proxy of the environment if NODE_USE_ENV_PROXY is set. Never follows a redirect.
 */
export function nodeTransport(baseUrl: string): Transport {
  // Importing node:http from an ES module would take 12 MB more: Node.js then loads its WebSocket as well.
  const { request: start } = baseUrl.startsWith('https:')
    ? process.getBuiltinModule('node:https')
    : process.getBuiltinModule('node:http');
  const send = (request: TransportRequest, signal: AbortSignal) =>
    new Promise<StreamedResponse>((resolve, reject) => {
      const { method, url, headers, body } = request;
      const sent: ClientRequest = start(url, { method, headers: withLength(headers, body), signal });
      sent.once('error', reject);
      sent.once('response', (response) => resolve(toStreamed(response)));
      // Node.js closes the connection without an error after a response that switches protocols.
      sent.once('close', () => reject(new Error('The connection was closed before a response arrived.')));
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
  const { statusCode: status = 0, headers } = response;
  const decoder = DECODERS[headers['content-encoding']?.trim().toLowerCase() ?? '']?.();
  if (decoder === undefined) return { status, headers, body: response };
  // `pipe` passes on no errors.
  response.once('error', (error) => decoder.destroy(error));
  decoder.once('close', () => response.destroy());
  const body = readDecoded(response.pipe(decoder), status);
  return { status, headers, body: Object.assign(body, { destroy: () => decoder.destroy() }) };
}

/**
 * The decompressed body. For an error response that can't be decompressed, the status is enough, except for a 404: alone,
 * it would mean that the record doesn't exist.
 */
async function* readDecoded(body: Readable, status: number): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const chunk of body) yield chunk as Uint8Array;
  } catch (error) {
    const isUndecodable = UNDECODABLE.test(String((error as NodeJS.ErrnoException).code));
    if (!isUndecodable || status < 400 || status === 404) throw error;
  }
}
