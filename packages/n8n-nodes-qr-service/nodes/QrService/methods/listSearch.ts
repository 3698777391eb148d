import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import { codeLabel, normalise, omitUndefined, type QrCode } from '../../../core.ts';
import { createClient } from '../../shared/transport/createClient.ts';
import { toNodeError } from '../../shared/toNodeError.ts';

/** Most pages read for one screen of results, so that a rare name doesn't block the editor. */
const MAX_PAGES = 20;

/** Matches that fill the editor's list. It asks for more when the user scrolls. */
const ENOUGH_MATCHES = 50;

/**
 * Codes for the picker: the service's cursor is the editor's pagination token. Without a filter, one page at a time. The
 * API has no search, so with a filter, pages are read until enough codes match, the list ends, or the limit of pages is
 * reached. In that case the last result says so: without any result, the editor would show "No results" and read no
 * further. That result has an empty value, so choosing it chooses no code.
 */
export async function searchQrCodes(
  this: ILoadOptionsFunctions,
  filter?: string,
  paginationToken?: string,
): Promise<INodeListSearchResult> {
  try {
    const client = await createClient(this);
    const matches = matcher(filter);
    const enough = normalise(filter) === '' ? 1 : ENOUGH_MATCHES;
    const results: INodeListSearchItems[] = [];
    let searched = 0;
    let cursor = paginationToken;
    for (let pages = 1; ; pages++) {
      const { rows, nextCursor } = await client.qr.listPage(omitUndefined({ cursor }));
      searched += rows.length;
      results.push(...rows.filter(matches).map(toResult));
      // A repeated cursor leads nowhere, and the editor would load the same page again and again.
      if (nextCursor === undefined || nextCursor === cursor) return { results };
      cursor = nextCursor;
      const isFull = results.length >= enough;
      if (!isFull && pages < MAX_PAGES) continue;
      if (!isFull) results.push(limitReached(searched, paginationToken === undefined ? 'first' : 'next'));
      return { results, paginationToken: cursor };
    }
  } catch (error) {
    throw toNodeError(this.getNode(), error);
  }
}

function limitReached(searched: number, part: 'first' | 'next'): INodeListSearchItems {
  const count = searched.toLocaleString('en-US');
  return { name: `Only the ${part} ${count} codes were searched. Use By ID or By URL instead.`, value: '' };
}

function matcher(filter: string | undefined): (code: QrCode) => boolean {
  const wanted = normalise(filter).toLowerCase();
  return ({ name, slug, publicUrl, id }) =>
    [name, slug, publicUrl, id].some((text) => normalise(text).toLowerCase().includes(wanted));
}

function toResult(code: QrCode): INodeListSearchItems {
  const url = normalise(code.publicUrl);
  return { name: codeLabel(code), value: code.id, ...(url === '' ? {} : { url }) };
}
