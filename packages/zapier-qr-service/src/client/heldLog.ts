import { isUtf8 } from 'node:buffer';
import { readHeader, RESPONSE_LIMITS } from '@qr-service/core/connector';
import type { TransportRequest, TransportResponse } from '@qr-service/core';
import type { HttpRequestOptionsWithUrl } from 'zapier-platform-core';

/** Zapier's log line of one request. It is held back until the response's body is read. */
export interface HeldLog {
  /** Writes the line, with what it shows as the body. Set once there is a response. */
  write?: (content: string) => Promise<unknown>;
}

type Logger = (message: string, data: object) => Promise<unknown>;

/** What Zapier's request client adds to a request. It is not documented. */
interface SentRequest {
  heldLog?: HeldLog;
  input?: { _zapier?: { logger?: Logger } };
  headers?: Record<string, string>;
}

/**
 * Holds back the log line of a request that has a `heldLog`. Zapier logs the body only of a response that it reads
 * itself, as text and without a limit of its size; otherwise it logs "<probably streaming data>", as it still would if
 * its logger moved.
 */
export function holdLog(request: HttpRequestOptionsWithUrl): HttpRequestOptionsWithUrl {
  const { heldLog, input, headers } = request as SentRequest;
  const logger = input?._zapier?.logger;
  if (heldLog === undefined || logger === undefined) return request;
  const hold: Logger = (message, data) => {
    // Zapier hides what is named like a key wherever it stands, but looks for the key as it was typed, with its spaces.
    const api_key = headers?.['Authorization']?.replace('Bearer ', '');
    heldLog.write = (content) => logger(message, { ...data, api_key, response_content: content });
    return Promise.resolve();
  };
  return Object.assign(request, { input: { ...input, _zapier: { ...input?._zapier, logger: hold } } });
}

/** What the log shows for a response that could not be read to its end. */
export const NOT_READ = '<not read to the end>';

/** What the log shows as a response's body: its text, except for signing secrets, files and very long ones. */
export function loggedBody(request: TransportRequest, { status, headers, body }: TransportResponse): string {
  const bytes = body as Uint8Array;
  const type = readHeader(headers, 'Content-Type') ?? 'no content type';
  const isFile = /^(image\/|application\/pdf)/i.test(type);
  if (isFile || bytes.length > RESPONSE_LIMITS.failureBytes || !isUtf8(bytes))
    return `<${type}, ${bytes.length} bytes>`;
  const text = new TextDecoder().decode(bytes);
  return mayHoldSecret(request, status, text) ? '<hidden, as it may contain a signing secret>' : text;
}

/**
 * Whether a response may hold a signing secret: each one that could have created a subscription does, under a name that
 * the API text doesn't show. Other responses about subscriptions do only if they say so.
 */
function mayHoldSecret({ method, url }: TransportRequest, status: number, text: string): boolean {
  if (text === '' || !/\/webhooks(\/|$)/.test(new URL(url).pathname)) return false;
  return (method === 'POST' && status < 400) || /secret|signing|whsec/i.test(text);
}
