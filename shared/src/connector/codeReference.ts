import { API_PATH } from '../contract/brand.ts';

/** What a user entered to choose a code. */
export type CodeReference = { id: string } | { shortLink: string };

const CODE_URL = new RegExp(`${API_PATH}/(?:workspaces/[^/]+/)?qr/([^/?#]+)`);
/** A host with a dot or a port, then a path or a query: `qr.example/door`, `localhost:4010/r/door`, `qr.example?c=1`. */
const URL_OR_HOST = /^[^\s/.:?#]+[.:][^\s/?#]*[/?#]./;
const SCHEME = /^https?:\/\//i;
/** Maximum length of a URL. The rest is ignored. */
const MAX_LENGTH = 4096;

/**
 * Reads which code a user means: by its ID, by its API URL, which contains the ID, or by its short link as printed,
 * with or without `https://`.
 * @example
 * ```ts
 * import { readCodeReference } from '@qr-service/core/connector';
 *
 * console.log(readCodeReference('qr.example/door')); // { shortLink: 'qr.example/door' }
 * console.log(readCodeReference('qr_7hK2pQ')); // { id: 'qr_7hK2pQ' }
 * ```
 */
export function readCodeReference(text: string): CodeReference {
  const given = text.trim();
  const start = given.slice(0, MAX_LENGTH);
  if (!SCHEME.test(start) && !URL_OR_HOST.test(start)) return { id: given };
  const id = decode(CODE_URL.exec(start.replace(/[?#].*/s, ''))?.[1]);
  return id === undefined ? { shortLink: given } : { id };
}

function decode(segment: string | undefined): string | undefined {
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
