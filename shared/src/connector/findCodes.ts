import type { QrServiceClient } from '../client/QrServiceClient.ts';
import type { CallOptions } from '../client/RequestExecutor.ts';
import type { QrCode } from '../contract/types.ts';
import { readCodeReference } from './codeReference.ts';
import { isDeleted } from './codeStatus.ts';
import { foldCase, normalize } from './codeText.ts';
import { once } from './once.ts';
import { ParameterError } from './parameters/ParameterError.ts';
import { showInput } from './parameters/showValue.ts';
import { searchPages, type FindOptions } from './searchPages.ts';
import { codeOpenedBy, isExactly, opens, readShortLink } from './shortLink.ts';

/** The part of the client that is needed to find codes. */
export type CodeLister = Pick<QrServiceClient, 'qr'>;

/** Label of the input for a code. */
const LABEL = 'QR Code';

/** Codes that match and aren't deleted, in the list's order. Throws the same errors as `searchPages`. */
export async function* matchingCodes(
  client: CodeLister,
  matches: (code: QrCode) => boolean,
  options: FindOptions = {},
): AsyncGenerator<QrCode, void, undefined> {
  for await (const { rows } of searchPages(client.qr, {}, options))
    yield* rows.filter((code) => !isDeleted(code) && matches(code));
}

/** Matches the codes that a short link opens. Also accepts an ID or the code's API URL, and matches the code with that ID. */
export function hasShortLink(link: string): (code: QrCode) => boolean {
  const reference = readCodeReference(link);
  const entered = readShortLink(link);
  const isOpened = (code: QrCode) => opens(entered, readShortLink(code.publicUrl));
  return 'id' in reference ? (code) => code.id === reference.id || isOpened(code) : isOpened;
}

/** Matches the code with exactly this short link, and nothing else in it. */
export function isShortLink(link: string): (code: QrCode) => boolean {
  const entered = readShortLink(link);
  return ({ publicUrl }) => {
    const own = readShortLink(publicUrl);
    return opens(entered, own) && isExactly(entered, own);
  };
}

/** Matches the codes with exactly this name, in either Unicode form. */
export function hasName(name: string): (code: QrCode) => boolean {
  const key = normalize(name);
  return (code) => normalize(code.name) === key;
}

/**
 * Matches the codes with one of these statuses, in any case; all codes if there are none, or only blank ones. A code
 * without a status matches.
 */
export function hasStatus(statuses: readonly string[]): (code: { status?: unknown }) => boolean {
  const wanted = statuses.map(foldCase).filter(Boolean);
  return ({ status }) => wanted.length === 0 || ['', ...wanted].includes(foldCase(status));
}

/** How to search for codes by text. */
export interface SearchOptions {
  /**
   * Whether a code must have exactly this name, ID, slug or short link.
   * @default false: a part of the name or slug is enough, in any case, with or without accents
   */
  exact?: boolean;
}

/**
 * Finds codes by a text, best match first: the code with this ID, slug or short link, codes with exactly this name,
 * codes whose name differs only in case or accents, and codes whose name or slug contains the text.
 */
export type SearchCodes = (text: string, options?: SearchOptions) => Promise<QrCode[]>;

/**
 * For many searches: reads the whole list once and remembers its codes. If that fails, the searches that waited for it
 * fail too, and later ones read the list again.
 */
export function codeSearch(client: CodeLister, options: CallOptions = {}): SearchCodes {
  const readList = once(async () => {
    const entries: SearchEntry[] = [];
    for await (const code of matchingCodes(client, () => true, options)) entries.push(searchEntry(code));
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

/** A code with its normalized texts, so that a search of thousands of codes takes milliseconds. */
type SearchEntry = ReturnType<typeof searchEntry>;

function searchEntry(code: QrCode) {
  return {
    code,
    link: readShortLink(code.publicUrl),
    slug: normalize(code.slug),
    name: normalize(code.name),
    foldedSlug: foldCase(code.slug),
    foldedName: foldCase(code.name),
  };
}

type Matcher = (entry: SearchEntry) => boolean;

function exactMatches(text: string): Matcher[] {
  const reference = readCodeReference(text);
  const id = 'id' in reference ? reference.id : undefined;
  const link = readShortLink(text);
  const wanted = normalize(text);
  return [
    (entry) => entry.code.id === id || opens(link, entry.link) || entry.slug === wanted,
    (entry) => entry.name === wanted,
  ];
}

function looseMatches(text: string): Matcher[] {
  const wanted = foldCase(text);
  // Accents alone leave an empty text, which every text contains.
  if (wanted === '') return [];
  return [
    ({ foldedName }) => foldedName === wanted,
    ({ foldedName, foldedSlug }) => foldedName.includes(wanted) || foldedSlug.includes(wanted),
  ];
}

/** Finds the ID of the code with a short link; undefined if no code has it. */
export type FindShortLink = (shortLink: string) => Promise<string | undefined>;

/**
 * The ID of the code that a user means: by its ID, its API URL or its short link. Only a short link is looked up.
 * @throws ParameterError `not_found` if no code has the short link
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

/**
 * For a single lookup: reads the list only up to a code with exactly this link. Throws the same errors as `matchingCodes`,
 * and `ambiguous_link` if the link opens several codes.
 */
export function shortLinkSearch(client: CodeLister, options: FindOptions = {}): FindShortLink {
  return async (shortLink) => {
    const isIt = isShortLink(shortLink);
    const opened: QrCode[] = [];
    for await (const code of matchingCodes(client, hasShortLink(shortLink), options)) {
      if (isIt(code)) return code.id;
      opened.push(code);
    }
    return codeOpenedBy(shortLink, opened)?.id;
  };
}
