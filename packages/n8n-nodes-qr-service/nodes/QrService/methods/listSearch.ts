import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import { codeLabel, foldCase, normalize, omitUndefined, type QrCode } from '../../../core.ts';
import { createClient } from '../../shared/client.ts';
import { toActivationError } from '../../shared/errors.ts';

/** How long one search takes at most, so that a rare name doesn't block the editor. */
const MAX_SEARCH_MS = 10_000;

/** Number of matches that fill the editor's list. The editor requests more when the user scrolls. */
const ENOUGH_MATCHES = 50;

/**
 * Lists codes for the picker. The service's cursor is the editor's pagination token.
 *
 * Without a filter, it returns one page at a time. The API has no search, so with a filter it reads pages until enough
 * codes match, the list ends, the time is up or a page fails. If it stops early, the last result tells the user that there
 * are more, and no token is returned: the editor would append further results after that one.
 */
export async function searchQrCodes(
  this: ILoadOptionsFunctions,
  filter?: string,
  paginationToken?: string,
): Promise<INodeListSearchResult> {
  try {
    const client = await createClient(this);
    const wanted = foldCase(filter);
    const deadline = Date.now() + MAX_SEARCH_MS;
    const results: INodeListSearchItems[] = [];
    let searched = 0;
    let cursor = paginationToken;
    for (;;) {
      const page = await client.qr
        .listPage(omitUndefined({ cursor }), { timeoutMs: Math.max(deadline - Date.now(), 1) })
        .catch((error: unknown) => {
          if (searched === 0) throw error;
          return undefined;
        });
      if (page === undefined) break;
      searched += page.rows.length;
      results.push(...page.rows.filter((code) => matches(code, wanted)).map(toResult));
      // With a repeated cursor, the editor would load the same page again and again.
      if (page.nextCursor === undefined || page.nextCursor === cursor) return { results };
      cursor = page.nextCursor;
      if (results.length >= (wanted === '' ? 1 : ENOUGH_MATCHES)) return { results, paginationToken: cursor };
      if (Date.now() >= deadline) break;
    }
    if (wanted === '') return omitUndefined({ results, paginationToken: cursor });
    return { results: [...results, unsearched(paginationToken === undefined ? searched : undefined)] };
  } catch (error) {
    // The list shows the message alone, too.
    throw toActivationError(this.getNode(), error);
  }
}

/**
 * An entry that tells the user that there are more codes, short enough for the editor's list. The editor lets nobody
 * choose a boolean. An empty text would be shown as the chosen entry, on top, as long as no code is chosen.
 */
function unsearched(searched: number | undefined): INodeListSearchItems {
  const what =
    searched === undefined
      ? 'Not all codes were searched.'
      : `Only ${searched.toLocaleString('en-US')} codes were searched.`;
  return { name: `${what} Use By ID or By URL.`, value: false };
}

function matches({ name, slug, publicUrl, id }: QrCode, wanted: string): boolean {
  return [name, slug, publicUrl, id].some((text) => foldCase(text).includes(wanted));
}

function toResult(code: QrCode): INodeListSearchItems {
  const url = normalize(code.publicUrl);
  return { name: codeLabel(code), value: code.id, ...(url === '' ? {} : { url }) };
}
