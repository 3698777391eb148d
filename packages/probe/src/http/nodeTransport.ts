import { request as startHttp, type IncomingMessage } from 'node:http';
import { request as startHttps } from 'node:https';
import type { Readable, Transform } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Transport, TransportRequest } from '@qr-service/core';
import { createTransport, type StreamedResponse } from '@qr-service/core/connector';

/** The probe doesn't request any content coding, but some proxies compress anyway. */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Sends requests with Node's own HTTP client, which keeps connections alive. Never follows a redirect. */
export const nodeTransport: Transport = createTransport({
  send,
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal === undefined ? {} : { signal });
  },
});

function send(request: TransportRequest, signal: AbortSignal): Promise<StreamedResponse> {
  const { method, url, headers, body } = request;
  const start = url.startsWith('https:') ? startHttps : startHttp;
  const length =
    body === undefined && method === 'GET' ? {} : { 'Content-Length': String(Buffer.byteLength(body ?? '')) };
  return new Promise((resolve, reject) => {
    const sent = start(url, { method, headers: { ...headers, ...length }, signal });
    sent.once('error', reject);
    sent.once('response', (response) => resolve(toStreamed(response)));
    // Node.js closes the connection without an error after a response that switches protocols.
    sent.once('close', () => reject(new Error('The service ended the connection without responding.')));
    sent.end(body);
  });
}

function toStreamed(response: IncomingMessage): StreamedResponse {
  const { statusCode: status = 0, headers } = response;
  const decoder = DECODERS[headers['content-encoding']?.trim().toLowerCase() ?? '']?.();
  if (decoder === undefined) return { status, headers, body: response };
  // `pipe` passes on no errors.
  response.once('error', (error) => decoder.destroy(error));
  decoder.once('close', () => response.destroy());
  const body: Readable = response.pipe(decoder);
  return { status, headers, body };
}
