import type { QrServiceClient } from '../client/QrServiceClient.ts';
import type { CallOptions } from '../client/RequestExecutor.ts';
import type { QrCode } from '../contract/types.ts';
import { readCodeReference, shortLinkKey } from './codeReference.ts';
import { foldCase, normalise } from './codeText.ts';
import { ParameterError } from './parameters/ParameterError.ts';
import { showInput } from './parameters/showValue.ts';

/** The part of the client that finding codes needs. */
export type CodeLister = Pick<QrServiceClient, 'qr'>;

/** How far to look for codes. */
export interface FindOptions extends CallOptions {
  /**
   * Codes to look through: the API has no search, and platforms limit the time of a step.
   * @default Infinity
   */
  maxCodes?: number;
}

/** Label of the input that names a code. */
const LABEL = 'QR Code';

/**
 * Codes that match, in the list's order.
 * @throws ParameterError `search_limit` when none of the first `maxCodes` matches and there are more: returning none
 * would be wrong, and "find or create" would create a duplicate
 */
export async function* matchingCodes(
  client: CodeLister,
  matches: (code: QrCode) => boolean,
  { maxCodes = Infinity, ...options }: FindOptions = {},
): AsyncGenerator<QrCode, void, undefined> {
  let seen = 0;
  let found = false;
  for await (const code of client.qr.list({}, options)) {
    if (seen === maxCodes) {
      if (found) return;
      throw new ParameterError(
        `None of the first ${maxCodes} QR codes matches, and the workspace has more.`,
        { code: 'search_limit', parameter: LABEL, advice: "Use the QR code's ID instead." },
      );
    }
    seen += 1;
    if (!matches(code)) continue;
    found = true;
    yield code;
  }
}

/**
 * Matches the code that a short link belongs to, however the link is written. Given an ID or the code's URL in the API
 * instead, it matches the code with that ID: to find none would be wrong.
 */
export function hasShortLink(link: string): (code: QrCode) => boolean {
  const reference = readCodeReference(link);
  const key = shortLinkKey(link);
  if ('id' in reference) return (code) => code.id === reference.id || shortLinkKey(code.publicUrl) === key;
  return (code) => shortLinkKey(code.publicUrl) === key;
}

/** Matches the codes with exactly this name, in either Unicode form. */
export function hasName(name: string): (code: QrCode) => boolean {
  const key = normalise(name);
  return (code) => normalise(code.name) === key;
}

/** How to search for codes by text. */
export interface SearchOptions {
  /**
   * Whether a code has to have exactly this name, ID, slug or short link.
   * @default false: a part of the name or slug is enough, in any case, with or without accents
   */
  exact?: boolean;
}

/**
 * Finds the codes that people mean by a text, best match first: the code with this ID, slug or short link, codes with
 * exactly this name, codes whose name differs in case or accents alone, and codes whose name or slug contains the text.
 */
export type SearchCodes = (text: string, options?: SearchOptions) => Promise<QrCode[]>;

/**
 * For many searches: reads the whole list once and remembers its codes. After a failure, searches that waited for it
 * fail too, and later ones read the list anew.
 */
export function codeSearch(client: CodeLister, options: CallOptions = {}): SearchCodes {
  const readList = once(async () => {
    const entries: SearchEntry[] = [];
    for await (const code of client.qr.list({}, options)) entries.push(searchEntry(code));
    return entries;
  });
  return async (text, { exact = false } = {}) => {
    const levels = exact ? exactMatches(text) : [...exactMatches(text), ...looseMatches(text)];
    const found = levels.map((): QrCode[] => []);
    for (const entry of await readList())
      found[levels.findIndex((matches) => matches(entry))]?.push(entry.code);
    return found.flat();
  };
}

/** A code with what searches compare, so that a search of thousands of codes takes milliseconds. */
type SearchEntry = ReturnType<typeof searchEntry>;

function searchEntry(code: QrCode) {
  return {
    code,
    link: shortLinkKey(code.publicUrl),
    slug: normalise(code.slug),
    name: normalise(code.name),
    foldedSlug: foldCase(code.slug),
    foldedName: foldCase(code.name),
  };
}

type Matcher = (entry: SearchEntry) => boolean;

function exactMatches(text: string): Matcher[] {
  const reference = readCodeReference(text);
  const id = 'id' in reference ? reference.id : undefined;
  const link = shortLinkKey(text);
  const wanted = normalise(text);
  return [
    (entry) => entry.code.id === id || entry.link === link || entry.slug === wanted,
    (entry) => entry.name === wanted,
  ];
}

function looseMatches(text: string): Matcher[] {
  const wanted = foldCase(text);
  // Every text contains what is left of accents alone.
  if (wanted === '') return [];
  return [
    ({ foldedName }) => foldedName === wanted,
    ({ foldedName, foldedSlug }) => foldedName.includes(wanted) || foldedSlug.includes(wanted),
  ];
}

/** Reads once and remembers the result. After a failure, callers that waited for it fail too, and later ones read anew. */
function once<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined;
  return () => {
    result ??= read().catch((error: unknown) => {
      result = undefined;
      throw error;
    });
    return result;
  };
}

/** Finds the ID of the code with a short link; undefined where no code has it. */
export type FindShortLink = (shortLink: string) => Promise<string | undefined>;

/**
 * ID of the code that people name by its ID, its URL in the API or its short link. Only a short link is looked up.
 * @throws ParameterError `not_found` when no code has the short link
 */
export async function resolveCodeId(named: string, findShortLink: FindShortLink): Promise<string> {
  const reference = readCodeReference(named);
  if ('id' in reference) return reference.id;
  const id = await findShortLink(reference.shortLink);
  if (id !== undefined) return id;
  throw new ParameterError(`No QR code has the short link ${showInput(reference.shortLink)}.`, {
    code: 'not_found',
    parameter: LABEL,
    advice: 'Check the link, or use the ID of the QR code instead.',
  });
}

/** For a single lookup: reads the list only up to the code. Throws what `matchingCodes` throws. */
export function shortLinkSearch(client: CodeLister, options: FindOptions = {}): FindShortLink {
  return async (shortLink) => {
    for await (const { id } of matchingCodes(client, hasShortLink(shortLink), options)) return id;
    return undefined;
  };
}

/**
 * For many lookups: reads the whole list once and remembers every short link. After a failure, lookups that waited for
 * it fail too, and later ones read the list anew.
 */
export function shortLinkIndex(client: CodeLister, options: CallOptions = {}): FindShortLink {
  const readIndex = once(() => readShortLinks(client, options));
  return async (shortLink) => (await readIndex()).get(shortLinkKey(shortLink));
}

async function readShortLinks(client: CodeLister, options: CallOptions): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for await (const code of client.qr.list({}, options)) ids.set(shortLinkKey(code.publicUrl), code.id);
  return ids;
}
