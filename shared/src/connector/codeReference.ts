import { API_PATH } from '../contract/brand.ts';

/** What a user entered to choose a code. */
export type CodeReference = { id: string } | { shortLink: string };

const CODE_URL = new RegExp(`${API_PATH}/(?:workspaces/[^/]+/)?qr/([^/?#]+)`);
/** A scheme or a host with a dot or a port, then a path: `https://…`, `qr.example/door`, `localhost:4010/r/door`. */
const URL_OR_HOST = /^[^\s/.:?#]+[.:][^\s/?#]*\/./;
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

/**
 * Normalizes a short link, so that all its spellings are equal: with or without a scheme, a trailing slash or a query,
 * with the host in any case, escaped or not, in either Unicode form. Empty for anything but text.
 */
export function shortLinkKey(link: unknown): string {
  const text = typeof link === 'string' ? link.trim().slice(0, MAX_LENGTH).normalize('NFC') : '';
  const url = SCHEME.test(text) ? text : `https://${text}`;
  if (!URL.canParse(url)) return text;
  const { host, pathname } = new URL(url);
  return (
    host +
    unescaped(pathname)
      .normalize('NFC')
      .replace(/(?<!\/)\/+$/, '')
  );
}

function unescaped(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

function decode(segment: string | undefined): string | undefined {
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
