import {
  CodeFinder,
  codeLabel,
  INPUTS,
  newestFirst,
  omitUndefined,
  readTime,
} from '@qr-service/core/connector';
import type { QrCode, QrServiceClient } from '@qr-service/core';
import type { Bundle, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { DROPDOWN_WORDS, withZapierErrors } from '../errors.ts';
import { inputField } from '../inputs/inputField.ts';
import { textInput } from '../inputs/readInputs.ts';
import { searchNewest } from './newestRows.ts';

/**
 * How long the list of codes may be read for a name or a short link, in milliseconds. It leaves time for the writes that
 * follow in the same run.
 */
export const SEARCH_MS = 20_000;

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

/** Number of the newest codes to look for, and the requests that this may take. */
const NEWEST_CODES = 10;
const MAX_REQUESTS = 6;

const timeOf = (code: QrCode) => code.updatedAt;

/** A page of the list: its number, and its cursor unless it is the first. */
interface Place {
  page: number;
  cursor?: string | undefined;
  /** The first page had all codes since this time, in milliseconds. */
  since?: number | undefined;
}

/** The newest codes, followed by the service's list, which may start with the oldest. */
async function codeChoices(z: ZObject, bundle: Bundle): Promise<Choices> {
  const { qr } = createClient(z, bundle);
  let place = readToken(bundle.meta.paging_token);
  for (let skipped = 0; ; skipped++) {
    const { page, cursor } = place;
    const { codes, nextCursor, since } = await (cursor === undefined ? firstPage(qr) : nextPage(qr, place));
    const isLast = nextCursor === undefined || nextCursor === cursor || page === MAX_PAGES;
    if (codes.length === 0 && !isLast && skipped < MAX_EMPTY_PAGES) {
      place = { page, cursor: nextCursor, since };
      continue;
    }
    return {
      results: codes.map((code) => ({ id: code.id, label: codeLabel(code) })),
      paging_token: codes.length === 0 || isLast ? null : `${page + 1} ${since ?? ''} ${nextCursor}`,
    };
  }
}

/** Codes of a page of the dropdown, and where the service's list continues. */
interface CodePage {
  codes: QrCode[];
  nextCursor?: string | undefined;
  since?: number | undefined;
}

async function firstPage(qr: QrServiceClient['qr']): Promise<CodePage> {
  const readPage = (updatedSince?: string) => qr.listPage(omitUndefined({ updatedSince }));
  const { first, rows, since } = await searchNewest<QrCode>(readPage, timeOf, NEWEST_CODES, MAX_REQUESTS);
  const newest = rows.filter((code) => isSince(code, since));
  const rest = newestFirst(first.rows, timeOf).filter((code) => !isSince(code, since));
  return { codes: [...newest, ...rest], nextCursor: first.nextCursor, since };
}

async function nextPage(qr: QrServiceClient['qr'], { cursor, since }: Place): Promise<CodePage> {
  const { rows, nextCursor } = await qr.listPage(omitUndefined({ cursor }));
  const codes = newestFirst(rows, timeOf).filter((code) => !isSince(code, since));
  return { codes, nextCursor, since };
}

function isSince(code: QrCode, since = Infinity): boolean {
  return (readTime(timeOf(code)) ?? 0) >= since;
}

/** Reads a token such as `2 1767225600000 eyJpZCI6…`: the page, the time if there is one, and the cursor. */
function readToken(token: string | null | undefined): Place {
  const [, page, since, cursor] = /^(\d+) (\d*) (.*)$/s.exec(token ?? '') ?? [];
  return { page: Number(page ?? 1), cursor, since: since ? Number(since) : undefined };
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
export async function requireCodeId(
  bundle: Bundle,
  client: QrServiceClient,
  searchMs = SEARCH_MS,
): Promise<string> {
  return new CodeFinder(client.qr, { searchMs }).idOf(textInput(bundle, QR_CODE_ID_FIELD));
}
