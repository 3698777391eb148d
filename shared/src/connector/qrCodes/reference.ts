import { API_PATH } from '../../contract/brand.ts';
import { percentDecoded } from '../inputs/text.ts';

/** What a user entered to choose a code. */
export type CodeReference = { id: string } | { shortLink: string };

const CODE_URL = new RegExp(`${API_PATH}/(?:workspaces/[^/]+/)?qr/([^/?#]+)`);

/** Reads which code a user means: by its ID, by its API URL, or by its short link, with or without `https://`. */
export function readCodeReference(text: string): CodeReference {
  const given = text.trim();
  const id = CODE_URL.exec(given.replace(/[?#].*/s, ''))?.[1];
  if (id !== undefined) return { id: percentDecoded(id) };
  return /[/?]/.test(given) ? { shortLink: given } : { id: given };
}

/** A short link without scheme, fragment, final slash and campaign parameters; if it has others, without them as well. */
export function linkKeys(link: unknown): [key: string, ...others: string[]] {
  const text = typeof link === 'string' ? link.trim().normalize('NFC') : '';
  const url = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(url)) return [text];
  const { host, pathname, searchParams } = new URL(url);
  for (const name of [...searchParams.keys()]) if (/^utm_/i.test(name)) searchParams.delete(name);
  const page = (host + percentDecoded(pathname)).normalize('NFC').replace(/(?<!\/)\/+$/, '');
  return searchParams.size === 0 ? [page] : [`${page}?${searchParams.toString()}`, page];
}

/** Whether a target is a code's own short link, so that a scan would end in a redirect loop. */
export function isOwnLink({ publicUrl }: { publicUrl?: unknown }, targetUrl: string): boolean {
  return linkKeys(targetUrl).includes(linkKeys(publicUrl)[0]);
}
