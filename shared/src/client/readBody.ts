import { RESPONSE_LIMITS } from '../contract/limits.ts';
import { readHeader, type WireHeaders } from '../wire/headers.ts';
import { TransportError } from '../errors/TransportError.ts';
import type { TransportRequest } from './transport.ts';

/** An answer whose body has not been read yet. */
export interface UnreadResponse {
  /** HTTP status. */
  status: number;
  /** Names in any case. */
  headers: WireHeaders;
  /** The body in pieces, decompressed: a stream of Node.js or of the web, or none. */
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Ends the connection. Called where more comes than may be read. */
  end: () => void;
}

/**
 * Reads an answer's body as far as the request allows. Of a failure whose body is too large the status is
 * enough: its body counts as empty.
 * @throws TransportError `too_large` as soon as more bytes are announced, or have come, than may be read
 */
export async function readBody(request: TransportRequest, answer: UnreadResponse): Promise<Uint8Array> {
  const most = mostBytes(request, answer);
  const body = (announced(answer) ?? 0) > most ? undefined : await collect(answer.body, most);
  if (body !== undefined) return body;
  answer.end();
  if (isFailure(answer)) return new Uint8Array();
  throw tooLarge(request.maxBytes);
}

/**
 * Whether an answer announces a length that may be read. Where the length counts the bytes as they are handed on, not
 * the compressed ones, and HTTP takes no more of them, the body may be read at once, which is faster.
 */
export function announcesLittle(request: TransportRequest, answer: AnswerHead): boolean {
  const length = announced(answer);
  return length !== undefined && length <= mostBytes(request, answer);
}

type AnswerHead = Pick<UnreadResponse, 'status' | 'headers'>;

function announced({ headers }: AnswerHead): number | undefined {
  const length = readHeader(headers, 'Content-Length');
  return length === undefined ? undefined : Number(length);
}

function mostBytes({ maxBytes }: TransportRequest, answer: AnswerHead): number {
  return isFailure(answer) ? Math.min(maxBytes, RESPONSE_LIMITS.failureBytes) : maxBytes;
}

function isFailure({ status }: AnswerHead): boolean {
  return status >= 300;
}

/** What an answer of more than `maxBytes` is. */
export function tooLarge(maxBytes: number): TransportError {
  const megabytes = maxBytes / 1e6;
  return new TransportError(`The service's answer is larger than ${megabytes} MB and was not read.`, {
    kind: 'too_large',
  });
}

/** All pieces as one, or undefined where they are more than `most` bytes. */
async function collect(pieces: UnreadResponse['body'], most: number): Promise<Uint8Array | undefined> {
  const read: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    length += piece.length;
    if (length > most) return undefined;
    read.push(piece);
  }
  return joined(read, length);
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = pieces;
  if (pieces.length === 1 && first !== undefined) return first;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
