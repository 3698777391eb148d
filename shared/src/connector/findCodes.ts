import type { QrServiceClient } from '../client/QrServiceClient.ts';
import type { CallOptions } from '../client/RequestExecutor.ts';
import type { QrCode } from '../contract/types.ts';
import { readCodeReference, shortLinkKey } from './codeReference.ts';
import { normalise } from './codeText.ts';
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
        { code: 'search_limit', parameter: LABEL, advice: 'Search by ID, or use the ID instead.' },
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
 * The codes that people mean by a text, best match first: the code with this ID, slug or short link, codes with exactly
 * this name, codes whose name differs in case or accents alone, and codes whose name or slug contains the text.
 */
export function searchCodes(
  codes: Iterable<QrCode>,
  text: string,
  { exact = false }: SearchOptions = {},
): QrCode[] {
  const levels = exact ? exactMatches(text) : [...exactMatches(text), ...looseMatches(text)];
  const found = levels.map((): QrCode[] => []);
  for (const code of codes) found[levels.findIndex((matches) => matches(code))]?.push(code);
  return found.flat();
}

type Matcher = (code: QrCode) => boolean;

function exactMatches(text: string): Matcher[] {
  const isReferenced = hasShortLink(text);
  const slug = normalise(text);
  return [(code) => isReferenced(code) || normalise(code.slug) === slug, hasName(text)];
}

function looseMatches(text: string): Matcher[] {
  const wanted = foldCase(text);
  return [
    ({ name }) => foldCase(name) === wanted,
    ({ name, slug }) => [name, slug].some((value) => foldCase(value).includes(wanted)),
  ];
}

/** The same text for all spellings that differ in case or in accents alone. */
function foldCase(value: unknown): string {
  return normalise(value)
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '');
}

/**
 * For many searches: reads the whole list once and remembers its codes. After a failure, callers that waited for it fail
 * too, and later ones read the list anew.
 */
export function codeList(client: CodeLister, options: CallOptions = {}): () => Promise<readonly QrCode[]> {
  let codes: Promise<QrCode[]> | undefined;
  return () => {
    codes ??= readCodes(client, options).catch((error: unknown) => {
      codes = undefined;
      throw error;
    });
    return codes;
  };
}

async function readCodes(client: CodeLister, options: CallOptions): Promise<QrCode[]> {
  const codes: QrCode[] = [];
  for await (const code of matchingCodes(client, () => true, options)) codes.push(code);
  return codes;
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
  let index: Promise<Map<string, string>> | undefined;
  return async (shortLink) => {
    index ??= readShortLinks(client, options).catch((error: unknown) => {
      index = undefined;
      throw error;
    });
    return (await index).get(shortLinkKey(shortLink));
  };
}

async function readShortLinks(client: CodeLister, options: CallOptions): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for await (const code of client.qr.list({}, options)) ids.set(shortLinkKey(code.publicUrl), code.id);
  return ids;
}
