import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { failureCode } from './client/requestFailed.ts';
import { readHeader, type WireHeaders } from './wire/headers.ts';

/** Supported content codings. The client doesn't request any, but some proxies compress anyway. */
const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);
/** Node.js error codes for a body that can't be decoded. */
const UNDECODABLE = /^(Z_|ERR_.*BROTLI|ERR__ERROR)/;

/**
 * Creates the decoder of a response's body; undefined if it isn't compressed. Even an empty body has bytes once
 * compressed: without any, it was cut off and the decoder fails, unless the response says that it has none.
 */
export function createDecoder(status: number, headers: WireHeaders): Transform | undefined {
  if (status === 204 || readHeader(headers, 'Content-Length') === '0') return undefined;
  return DECODERS.get(readHeader(headers, 'Content-Encoding')?.trim().toLowerCase() ?? '')?.();
}

/**
 * Whether a decoder's error leaves an error response whose status is enough. Not a 404: alone, it would mean that the
 * record doesn't exist.
 */
export function isStatusEnough(status: number, error: unknown): boolean {
  return status >= 400 && status !== 404 && UNDECODABLE.test(failureCode(error) ?? '');
}
