import type { IncomingMessage } from 'node:http';
import { getBuiltinModule } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Transport, TransportRequest } from './client/transport.ts';
import { createTransport, type StreamedResponse } from './connector/createTransport.ts';
import { createDecoder } from './contentCodings.ts';

/**
 * A transport over Node's own HTTP client, without dependencies: undici and `fetch` would take 15 MB more memory. Node's
 * default agent keeps connections alive, and uses the proxy of the environment if NODE_USE_ENV_PROXY is set. It doesn't
 * follow redirects.
 */
export function nodeTransport(): Transport {
  return createTransport({
    send,
    sleep: async (ms, signal) => {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    },
  });
}

function send({ method, url, headers, body }: TransportRequest, signal: AbortSignal) {
  // Importing node:http from an ES module would take 12 MB more: Node.js then loads its WebSocket as well.
  const { request: start } = getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http');
  // Without a length, Node.js would send a body in chunks.
  const length =
    body === undefined && method === 'GET' ? {} : { 'Content-Length': String(Buffer.byteLength(body ?? '')) };
  return new Promise<StreamedResponse>((resolve, reject) => {
    const sent = start(url, { method, headers: { ...headers, ...length }, signal });
    sent.once('error', reject);
    sent.once('response', (response) => resolve(toStreamed(response)));
    // Node.js closes the connection without an error after a response that switches protocols.
    sent.once('close', () => reject(new Error('The connection was closed before a response arrived.')));
    sent.end(body);
  });
}

function toStreamed(response: IncomingMessage): StreamedResponse {
  const { statusCode: status = 0, headers } = response;
  const decoder = createDecoder(status, headers);
  if (decoder === undefined) return { status, headers, body: response };
  // `pipe` passes on no errors.
  response.once('error', (error) => decoder.destroy(error));
  decoder.once('close', () => response.destroy());
  return { status, headers, body: response.pipe(decoder) };
}
