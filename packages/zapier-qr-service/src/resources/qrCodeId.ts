import {
  codeLabel,
  INPUTS,
  newestFirst,
  omitUndefined,
  resolveCodeId,
  shortLinkSearch,
} from '@qr-service/core/connector';
import type { QrServiceClient } from '@qr-service/core';
import type { Bundle, ZObject } from 'zapier-platform-core';
import { createClient } from '../client/createClient.ts';
import { DROPDOWN_WORDS } from '../errors/errorWords.ts';
import { withZapierErrors } from '../errors/withZapierErrors.ts';
import { inputField } from '../inputs/inputField.ts';
import { textInput } from '../inputs/readInputs.ts';

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

/** One page of the service's list. */
async function codeChoices(z: ZObject, bundle: Bundle): Promise<Choices> {
  const { qr } = createClient(z, bundle);
  let place = readToken(bundle.meta.paging_token);
  for (let skipped = 0; ; skipped++) {
    const { cursor } = place;
    const { rows, nextCursor } = await qr.listPage(omitUndefined({ cursor }));
    const isLast = nextCursor === undefined || nextCursor === cursor || place.page === MAX_PAGES;
    if (rows.length === 0 && !isLast && skipped < MAX_EMPTY_PAGES) {
      place = { cursor: nextCursor, page: place.page };
      continue;
    }
    const codes = newestFirst(rows, (code) => code.updatedAt);
    return {
      results: codes.map((code) => ({ id: code.id, label: codeLabel(code) })),
      paging_token: rows.length === 0 || isLast ? null : `${place.page + 1} ${nextCursor}`,
    };
  }
}

/** Reads a page's number and its cursor from a token such as `2 eyJpZCI6…`. */
function readToken(token: string | null | undefined): { page: number; cursor?: string } {
  if (!token) return { page: 1 };
  const end = token.indexOf(' ');
  return { page: Number(token.slice(0, end)), cursor: token.slice(end + 1) };
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
  const findLink = shortLinkSearch(client, { searchMs: SEARCH_MS });
  const id = await resolveCodeId(textInput(bundle, QR_CODE_ID_FIELD), findLink);
  // A printed link whose host has no dot, for example on a local network, looks like an ID.
  return id.includes('/') ? ((await findLink(id)) ?? id) : id;
}
