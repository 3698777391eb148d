import { API_PATH } from '../contract/brand.ts';

/** What a text names a code by. */
export type CodeReference = { id: string } | { shortLink: string };

const ADDRESS_OF_CODE = new RegExp(`${API_PATH}/(?:workspaces/[^/]+/)?qr/([^/?#]+)`);
/** A scheme or a host with a dot or a port, then a path: `https://…`, `qr.example/door`, `localhost:4010/r/door`. */
const ADDRESS = /^[^\s/.:?#]+[.:][^\s/?#]*\/./;
const SCHEME = /^https?:\/\//i;
/** Characters of an address that are looked at. */
const LONGEST = 4096;

/**
 * Reads what people give to name a code: its id, its address in the API, which holds the id, or its short link, with or
 * without `https://`, as it is printed.
 */
export function readCodeReference(text: string): CodeReference {
  const given = text.trim();
  const start = given.slice(0, LONGEST);
  if (!SCHEME.test(start) && !ADDRESS.test(start)) return { id: given };
  const id = decode(ADDRESS_OF_CODE.exec(start)?.[1]);
  return id === undefined ? { shortLink: given } : { id };
}

/**
 * The same text for all spellings of a short link: with and without scheme, in any case of the host, with a
 * slash at the end or a query, with characters of its path escaped or not, in either Unicode form. Empty where there is no link.
 */
export function shortLinkKey(link: unknown): string {
  const text = typeof link === 'string' ? link.trim().slice(0, LONGEST).normalize('NFC') : '';
  const address = SCHEME.test(text) ? text : `https://${text}`;
  if (!URL.canParse(address)) return text;
  const { host, pathname } = new URL(address);
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
