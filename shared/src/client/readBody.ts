import { RESPONSE_LIMITS } from '../contract/limits.ts';
import { readHeader, type WireHeaders } from '../wire/headers.ts';
import { TransportError } from '../errors/TransportError.ts';
import { failureCode, isUndecodable } from './requestFailed.ts';
import type { TransportRequest } from './transport.ts';

/** A response whose body has not been read yet. */
export interface UnreadResponse {
  /** HTTP status. */
  status: number;
  /** Names in any case. */
  headers: WireHeaders;
  /** The body in chunks, decompressed: a Node.js or web stream, or an empty array. */
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Closes the connection. Called if the body is too large. */
  end: () => void;
}

/**
 * Reads a response's body, up to the request's limit. An error response keeps its status if its body is too large or can't
 * be decoded; its body is then empty.
 * @throws TransportError `too_large` as soon as more bytes than the limit are announced or received
 */
export async function readBody(request: TransportRequest, response: UnreadResponse): Promise<Uint8Array> {
  const body = new BodyCollector(bodyLimit(request, response.status));
  const isTooLarge = announcedLength(response.headers) > body.limit;
  try {
    if (!isTooLarge && (await collect(response.body, body))) {
      const bytes = body.bytes();
      if (bytes.length > 0 || isFailure(response.status) || !hasBody(response)) return bytes;
      throw new TransportError('The response was cut off.', { kind: 'network' });
    }
  } catch (error) {
    if (!isLostTo(error, response.status)) throw error;
  }
  response.end();
  if (isFailure(response.status)) return new Uint8Array();
  throw tooLarge(request.maxBytes);
}

/** Whether an error of a decoder leaves an error response with its status. */
export function isLostTo(error: unknown, status: number): boolean {
  return isFailure(status) && isUndecodable(failureCode(error) ?? '');
}

/** @returns whether the whole body was read */
async function collect(chunks: UnreadResponse['body'], body: BodyCollector): Promise<boolean> {
  for await (const chunk of chunks) if (!body.add(chunk)) return false;
  return true;
}

/** Whether a response announces a body: the decoders of some platforms return nothing for one that was cut off. */
function hasBody({ status, headers }: UnreadResponse): boolean {
  if (status === 204 || readHeader(headers, 'Content-Length') === '0') return false;
  return announcedLength(headers) > 0 || readHeader(headers, 'Content-Encoding') !== undefined;
}

/** Maximum number of bytes to read. */
export function bodyLimit({ maxBytes }: TransportRequest, status: number): number {
  return isFailure(status) ? Math.min(maxBytes, RESPONSE_LIMITS.failureBytes) : maxBytes;
}

/** The response's Content-Length; 0 if missing. */
export function announcedLength(headers: WireHeaders): number {
  return Number(readHeader(headers, 'Content-Length') ?? 0);
}

/** Whether a response with an unreadable body is still an error with its status. */
export function isFailure(status: number): boolean {
  return status >= 300;
}

/** The error for a response of more than `maxBytes`. */
export function tooLarge(maxBytes: number): TransportError {
  const megabytes = maxBytes / 1e6;
  return new TransportError(`The response is larger than ${megabytes} MB and was not read.`, {
    kind: 'too_large',
  });
}

/** Collects the chunks of a body, up to a limit. */
export class BodyCollector {
  readonly limit: number;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** @returns whether the body is still within the limit */
  add(chunk: Uint8Array): boolean {
    this.#length += chunk.length;
    if (this.#length > this.limit) return false;
    this.#chunks.push(chunk);
    return true;
  }

  /** The body so far. */
  bytes(): Uint8Array {
    const [first] = this.#chunks;
    if (this.#chunks.length === 1 && first !== undefined) return first;
    const whole = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole;
  }
}
