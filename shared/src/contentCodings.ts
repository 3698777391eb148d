import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { readHeader, type WireHeaders } from './wire/headers.ts';

/** Supported content codings. The client doesn't request any, but some proxies compress anyway. */
const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/**
 * Creates the decoder of a response's body; undefined if it isn't compressed. Even an empty body has bytes once
 * compressed: without any, it was cut off and the decoder fails, unless the response says that it has none.
 */
export function createDecoder(status: number, headers: WireHeaders): Transform | undefined {
  if (status === 204 || readHeader(headers, 'Content-Length') === '0') return undefined;
  return DECODERS.get(readHeader(headers, 'Content-Encoding')?.trim().toLowerCase() ?? '')?.();
}
