import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import { codeLabel, foldCase, normalize, omitUndefined, recentCodes, type QrCode } from '../../../deps.ts';
import { connect } from '../../platform/client.ts';
import { toActivationError } from '../../platform/errors.ts';

/** How long one search takes at most, so that a rare name doesn't block the editor. */
const MAX_SEARCH_MS = 10_000;

/** Number of matches that fill the editor's list. The editor requests more when the user scrolls. */
const ENOUGH_MATCHES = 50;

/** Tells the user that there are more codes. Nobody can choose a boolean, and an empty text would show as the chosen entry. */
const NOT_ALL = 'Not all codes were searched. Use By ID or By URL.';
const STOPPED: INodeListSearchItems = { name: NOT_ALL, value: false };

/**
 * Lists codes for the picker, the newest ones first; then all of them, as the editor shows each once. A filter reads pages until
 * enough codes match or the time is up: the last entry then says so, as the editor would append results after it.
 */
export async function searchQrCodes(
  this: ILoadOptionsFunctions,
  filter?: string,
  paginationToken?: string,
): Promise<INodeListSearchResult> {
  try {
    const { client } = await connect(this);
    const wanted = foldCase(filter);
    if (wanted === '' && paginationToken === undefined) {
      const { rows, nextCursor } = await recentCodes(client, MAX_SEARCH_MS);
      return { results: rows.map(toResult), ...omitUndefined({ paginationToken: nextCursor }) };
    }
    const isWanted = ({ name, slug, publicUrl, id }: QrCode) =>
      [name, slug, publicUrl, id].some((text) => foldCase(text).includes(wanted));
    const deadline = Date.now() + MAX_SEARCH_MS;
    const results: INodeListSearchItems[] = [];
    let cursor = paginationToken;
    for (;;) {
      const page = await client.qr.listPage(omitUndefined({ cursor }), { totalTimeoutMs: MAX_SEARCH_MS });
      results.push(...page.rows.filter(isWanted).map(toResult));
      // With a repeated cursor, the editor would load the same page again and again.
      if (page.nextCursor === undefined || page.nextCursor === cursor) return { results };
      cursor = page.nextCursor;
      if (wanted === '' || results.length >= ENOUGH_MATCHES) return { results, paginationToken: cursor };
      if (Date.now() >= deadline) return { results: [...results, STOPPED] };
    }
  } catch (error) {
    // The list shows the message alone, too.
    throw toActivationError(this.getNode(), error);
  }
}

function toResult(code: QrCode): INodeListSearchItems {
  const url = normalize(code.publicUrl);
  return { name: codeLabel(code), value: code.id, ...(url === '' ? {} : { url }) };
}
