import { readCodeReference, shortLinkKey } from '@qr-service/core/connector';
import type { QrCode, QrServiceClient } from '@qr-service/core';
import type { ZObject } from 'zapier-platform-core';
import { plainError } from '../errors/zapierErrors.ts';

/** Codes looked through for a name or a short link, as the API has no search: what fits in Zapier's 30 s. */
export const MOST_CODES = 5000;

/**
 * Codes that match, in the list's order.
 * @throws Zapier's Error when none of the first codes matches and there are more: to end without one would be
 * a lie, and "find or create" would make a second code
 */
export async function* matchingCodes(
  z: ZObject,
  client: QrServiceClient,
  matches: (code: QrCode) => boolean,
): AsyncGenerator<QrCode, void, undefined> {
  let seen = 0;
  let found = false;
  for await (const code of client.qr.list()) {
    if (seen === MOST_CODES) {
      if (found) return;
      throw plainError(
        z,
        `None of the first ${MOST_CODES} QR codes matches, and the workspace has more. Search by ID or give the ID instead.`,
        'search_limit',
      );
    }
    seen += 1;
    if (!matches(code)) continue;
    found = true;
    yield code;
  }
}

/**
 * Tells the code that a short link belongs to, however the link is written. Given an ID or an address in the API
 * instead, it tells the code with that ID: to find none would be a lie here, too.
 */
export function hasShortLink(link: string): (code: QrCode) => boolean {
  const reference = readCodeReference(link);
  const key = shortLinkKey(link);
  if ('id' in reference) return (code) => code.id === reference.id || shortLinkKey(code.publicUrl) === key;
  return (code) => shortLinkKey(code.publicUrl) === key;
}
