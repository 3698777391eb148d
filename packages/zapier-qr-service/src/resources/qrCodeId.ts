import { codeLabel, INPUTS, resolveCodeId, shortLinkSearch } from '@qr-service/core/connector';
import type { QrServiceClient } from '@qr-service/core';
import type { Bundle, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { DROPDOWN_WORDS } from '../errors/errorWords.ts';
import { withZapierErrors } from '../errors/withZapierErrors.ts';
import { inputField } from '../inputs/inputField.ts';
import { textInput } from '../inputs/readInputs.ts';
import { newestFirst } from './newestFirst.ts';

/** Maximum number of codes to look through for a name or a short link, within Zapier's 30 s. */
export const MAX_CODES = 5000;

/** A page of a dropdown, in Zapier's form. */
interface Choices {
  results: { id: string; label: string }[];
  /** Zapier sends it back unchanged for the next page; null on the last one. */
  paging_token: string | null;
}

/** Maximum number of pages of a dropdown: a service might never stop returning new cursors. */
const MAX_PAGES = 100;
/** Maximum number of empty pages to skip for one page of the dropdown. */
const MAX_EMPTY_PAGES = 10;

/** The position of a page in the service's list. */
interface Place {
  cursor: string;
  /** From 1, for the page of the first cursor. */
  page: number;
  /** The cursor of the last earlier page whose number is a power of 2: a list that returns to it never ends. */
  mark: string;
}

/** One page of the service's list. */
async function codeChoices(z: ZObject, bundle: Bundle): Promise<Choices> {
  const { qr } = createClient(z, bundle);
  let place = readToken(bundle.meta.paging_token);
  for (let skipped = 0; ; skipped++) {
    const { rows, nextCursor } = await qr.listPage(place && { cursor: place.cursor });
    place = nextCursor === undefined ? undefined : nextPlace(nextCursor, place);
    if (rows.length === 0 && place !== undefined && skipped < MAX_EMPTY_PAGES) continue;
    const codes = newestFirst(rows, (code) => code.updatedAt);
    return {
      results: codes.map((code) => ({ id: code.id, label: codeLabel(code) })),
      paging_token: rows.length === 0 || place === undefined ? null : writeToken(place),
    };
  }
}

/** Undefined if the list never ends, as it has returned this cursor before. */
function nextPlace(cursor: string, from: Place | undefined): Place | undefined {
  const page = (from?.page ?? 0) + 1;
  if (cursor === from?.cursor || cursor === from?.mark || page > MAX_PAGES) return undefined;
  return { cursor, page, mark: from === undefined || Number.isInteger(Math.log2(page)) ? cursor : from.mark };
}

/** The token of the first cursor is the cursor itself, unless it looks like a later one. */
function writeToken({ cursor, page, mark }: Place): string {
  const isPlain = page === 1 && readPlace(cursor) === undefined;
  return isPlain ? cursor : JSON.stringify([cursor, page, mark]);
}

function readToken(token: string | null | undefined): Place | undefined {
  return token ? (readPlace(token) ?? { cursor: token, page: 1, mark: token }) : undefined;
}

function readPlace(token: string): Place | undefined {
  try {
    const [cursor, page, mark] = JSON.parse(token) as unknown[];
    if (typeof cursor === 'string' && typeof page === 'number' && typeof mark === 'string')
      return { cursor, page, mark };
  } catch {
    // A cursor.
  }
  return undefined;
}

/** The field for the code that a step works on. */
export const QR_CODE_ID_FIELD = inputField(INPUTS.qrCodeId, {
  resource: 'qr_code',
  choices: { perform: withZapierErrors(codeChoices, DROPDOWN_WORDS) },
  search: 'find_qr_code.id',
});

/**
 * Reads the ID of the code that the step works on. Looks up a short link among the workspace's codes.
 * @throws ParameterError if the field is empty or no code has the link
 */
export async function requireCodeId(bundle: Bundle, client: QrServiceClient): Promise<string> {
  const findLink = shortLinkSearch(client, { maxCodes: MAX_CODES });
  const id = await resolveCodeId(textInput(bundle, QR_CODE_ID_FIELD), findLink);
  // A printed link whose host has no dot, for example on a local network, looks like an ID.
  return id.includes('/') ? ((await findLink(id)) ?? id) : id;
}
