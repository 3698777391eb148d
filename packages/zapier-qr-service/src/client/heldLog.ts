import { isUtf8 } from 'node:buffer';
import { readHeader } from '@qr-service/core/connector';
import type { TransportRequest, TransportResponse } from '@qr-service/core';
import type { HttpRequestOptionsWithUrl } from 'zapier-platform-core';

/** Zapier's log line for one request, held back until the response's body has been read. */
export interface HeldLog {
  /** Writes the line with the given body. Set once there is a response. */
  write?: (content: string) => Promise<unknown>;
}

type Logger = (message: string, data: object) => Promise<unknown>;

/** A property that Zapier's request client adds to a request. It isn't documented. */
interface SentRequest {
  heldLog?: HeldLog;
  input?: { _zapier?: { logger?: Logger } };
  headers?: Record<string, string>;
}

/**
 * Holds back the log line of a request that has a `heldLog`. Zapier logs the body only if it reads the response
 * itself, as text of any size. Otherwise it logs "<probably streaming data>", which is also the result if a later
 * version keeps its logger elsewhere.
 */
export function holdLog(request: HttpRequestOptionsWithUrl): HttpRequestOptionsWithUrl {
  const { heldLog, input, headers } = request as SentRequest;
  const logger = input?._zapier?.logger;
  if (heldLog === undefined || logger === undefined) return request;
  const hold: Logger = (message, data) => {
    // Zapier hides values with names like a key's. Elsewhere it looks for the key as it was typed, including its
    // spaces.
    const api_key = headers?.['Authorization']?.replace('Bearer ', '');
    heldLog.write = (content) => logger(message, { ...data, api_key, response_content: content });
    return Promise.resolve();
  };
  return Object.assign(request, { input: { ...input, _zapier: { ...input?._zapier, logger: hold } } });
}

/** Longest text in the log, in bytes. */
const MAX_LOGGED_BYTES = 1_000_000;

/** Logged for a response that couldn't be read to the end. */
export const NOT_READ = '<not read to the end>';

/** Formats a response's body for the log: its text, without signing secrets and files, and not too long. */
export function loggedBody(request: TransportRequest, { status, headers, body }: TransportResponse): string {
  const bytes = body as Uint8Array;
  const type = readHeader(headers, 'Content-Type') ?? 'no content type';
  const isFile = /^(image\/|application\/pdf)/i.test(type);
  if (isFile || bytes.length > MAX_LOGGED_BYTES || !isUtf8(bytes)) return `<${type}, ${bytes.length} bytes>`;
  const text = new TextDecoder().decode(bytes);
  return mayHoldSecret(request, status, text) ? '<hidden, as it may contain a signing secret>' : text;
}

/**
 * Whether a response may contain a signing secret. Any response that may have created a subscription does, under a
 * name that the API text doesn't show. Other responses about subscriptions do only if they mention one.
 */
function mayHoldSecret({ method, url }: TransportRequest, status: number, text: string): boolean {
  if (text === '' || !/\/webhooks(\/|$)/.test(new URL(url).pathname)) return false;
  return (method === 'POST' && status < 400) || /secret|signing|whsec/i.test(text);
}
