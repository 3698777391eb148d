import { codeLabel, INPUTS, resolveCodeId, shortLinkSearch } from '@qr-service/core/connector';
import type { QrServiceClient } from '@qr-service/core';
import type { Bundle, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { DROPDOWN_WORDS } from '../errors/errorWords.ts';
import { withZapierErrors } from '../errors/withZapierErrors.ts';
import { inputField } from '../inputs/inputField.ts';
import { textInput } from '../inputs/readInputs.ts';
import { newestFirst } from './newestFirst.ts';

/** Codes looked through for a name or a short link: what fits in Zapier's 30 s. */
export const MAX_CODES = 5000;

/** A page of a dropdown, in Zapier's form. */
interface Choices {
  results: { id: string; label: string }[];
  /** Zapier sends it back unchanged for the next page; null after the last. */
  paging_token: string | null;
}

/** Pages after which a dropdown ends: a service could give new cursors for ever. */
const MAX_PAGES = 100;
/** Pages without a code that are skipped for one page of the dropdown. */
const MAX_EMPTY_PAGES = 10;

/** Where a page of the service's list is. */
interface Place {
  cursor: string;
  /** From 1: the page that the first cursor leads to. */
  page: number;
  /** The cursor of an earlier page, the last whose number is a power of 2: a list that comes back to it has no end. */
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

/** Undefined where the list has no end, as its cursor was there before. */
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

/** Choice of a code for the steps that work on one. */
export const QR_CODE_ID_FIELD = inputField(INPUTS.qrCodeId, {
  resource: 'qr_code',
  choices: { perform: withZapierErrors(codeChoices, DROPDOWN_WORDS) },
  search: 'find_qr_code.id',
});

/**
 * ID of the code that the step works on. A short link is looked up among the workspace's codes.
 * @throws ParameterError when the field is empty or no code has the link
 */
export async function requireCodeId(bundle: Bundle, client: QrServiceClient): Promise<string> {
  const findLink = shortLinkSearch(client, { maxCodes: MAX_CODES });
  const id = await resolveCodeId(textInput(bundle, QR_CODE_ID_FIELD), findLink);
  // A printed link whose host has no dot, such as one of a local network, looks like an ID.
  return id.includes('/') ? ((await findLink(id)) ?? id) : id;
}
