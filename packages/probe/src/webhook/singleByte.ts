import { Buffer } from 'node:buffer';

/** Most bodies that are tried, and most bytes of them: some seconds of work. */
const MOST_TRIED = 300_000;
const MOST_BYTES = 300_000_000;
/** Bytes that JSON consists of, but for letters beyond ASCII, which take more than one byte. */
const BYTES = [0x09, 0x0a, 0x0d, ...Array.from({ length: 95 }, (_, at) => 0x20 + at)];

/**
 * Finds the body that was signed if a single byte was removed, added or changed on the way; undefined if there is none, or
 * the body is too long to try all.
 */
export function findSingleByte(
  received: Uint8Array,
  isSigned: (body: Uint8Array) => boolean,
): Uint8Array | undefined {
  const { length } = received;
  const most = Math.min(MOST_TRIED, MOST_BYTES / Math.max(1, length));
  let tried = 0;
  const isFound = (body: Uint8Array) => {
    tried++;
    return isSigned(body);
  };
  for (let at = 0; at < length && tried < most; at++) {
    const shorter = Buffer.concat([received.subarray(0, at), received.subarray(at + 1)]);
    if (isFound(shorter)) return shorter;
  }
  const changed = Buffer.from(received);
  for (let at = 0; at < length && tried < most; at++) {
    const original = changed[at] ?? 0;
    for (const byte of BYTES) {
      changed[at] = byte;
      if (byte !== original && isFound(changed)) return changed;
    }
    changed[at] = original;
  }
  const longer = Buffer.concat([Buffer.from([0]), received]);
  for (let at = 0; at <= length && tried < most; at++) {
    if (at > 0) longer[at - 1] = received[at - 1] ?? 0;
    for (const byte of BYTES) {
      longer[at] = byte;
      if (isFound(longer)) return longer;
    }
  }
  return undefined;
}
