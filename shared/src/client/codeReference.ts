import { API_PATH } from '../contract/brand.ts';

/** What a text names a code by. */
export type CodeReference = { id: string } | { shortLink: string };

const ADDRESS_OF_CODE = new RegExp(`${API_PATH}/(?:workspaces/[^/]+/)?qr/([^/?#]+)`);

/** Reads what people give to name a code: its id, its address in the API, which holds the id, or its short link. */
export function readCodeReference(text: string): CodeReference {
  if (!/^https?:\/\//i.test(text)) return { id: text };
  const id = decode(ADDRESS_OF_CODE.exec(text)?.[1]);
  return id === undefined ? { shortLink: text } : { id };
}

/**
 * The same text for all spellings of a short link: with and without scheme, in any case of the host, with a
 * slash at the end or a query. Empty where there is no link.
 */
export function shortLinkKey(link: string | null | undefined): string {
  const text = link?.trim() ?? '';
  const address = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(address)) return text;
  const { host, pathname } = new URL(address);
  return host + pathname.replace(/(?<!\/)\/+$/, '');
}

function decode(segment: string | undefined): string | undefined {
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
