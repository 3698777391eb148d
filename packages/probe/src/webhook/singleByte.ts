import { Buffer } from 'node:buffer';

/** Most bodies that are tried: two seconds of work. */
const MOST_TRIED = 500_000;

/**
 * Finds the body that was signed if a single byte was removed, added or changed on the way; undefined if there is none, or
 * the body is too long to try all.
 */
export function findSingleByte(
  received: Uint8Array,
  isSigned: (body: Uint8Array) => boolean,
): Uint8Array | undefined {
  const { length } = received;
  let tried = 0;
  const isFound = (body: Uint8Array) => {
    tried++;
    return isSigned(body);
  };
  for (let at = 0; at < length && tried < MOST_TRIED; at++) {
    const shorter = Buffer.concat([received.subarray(0, at), received.subarray(at + 1)]);
    if (isFound(shorter)) return shorter;
  }
  const changed = Buffer.from(received);
  for (let at = 0; at < length && tried < MOST_TRIED; at++) {
    const original = changed[at] ?? 0;
    for (let byte = 0; byte < 256; byte++) {
      changed[at] = byte;
      if (byte !== original && isFound(changed)) return changed;
    }
    changed[at] = original;
  }
  const longer = Buffer.concat([Buffer.from([0]), received]);
  for (let at = 0; at <= length && tried < MOST_TRIED; at++) {
    if (at > 0) longer[at - 1] = received[at - 1] ?? 0;
    for (let byte = 0; byte < 256; byte++) {
      longer[at] = byte;
      if (isFound(longer)) return longer;
    }
  }
  return undefined;
}
