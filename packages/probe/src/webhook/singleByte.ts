import { Buffer } from 'node:buffer';

/** Most bodies that are tried, and most bytes of them: some seconds of work. */
const MOST_TRIED = 300_000;
const MOST_BYTES = 300_000_000;
/** Bytes that JSON consists of, but for letters beyond ASCII, which take more than one byte. */
const BYTES = [0x09, 0x0a, 0x0d, ...Array.from({ length: 95 }, (_, at) => 0x20 + at)];

/** How many bytes are left out at a place, and what is put there. */
const EDITS: readonly (readonly [removed: number, added: readonly (readonly number[])[]])[] = [
  [1, [[]]],
  [1, BYTES.map((byte) => [byte])],
  [0, BYTES.map((byte) => [byte])],
];

/**
 * Finds the body that was signed if a single byte was removed, added or changed on the way; undefined if there is none, or
 * the body is too long to try all.
 */
export function findSingleByte(
  received: Uint8Array,
  isSigned: (body: Uint8Array) => boolean,
): Uint8Array | undefined {
  const { length } = received;
  let left = Math.min(MOST_TRIED, MOST_BYTES / Math.max(1, length));
  for (const [removed, added] of EDITS)
    for (let at = 0; at + removed <= length; at++)
      for (const byte of added) {
        if (left-- <= 0) return undefined;
        const body = Buffer.concat([
          received.subarray(0, at),
          Buffer.from(byte),
          received.subarray(at + removed),
        ]);
        if (isSigned(body)) return body;
      }
  return undefined;
}
