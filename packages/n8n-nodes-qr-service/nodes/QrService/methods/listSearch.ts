import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { codeLabel, normalise, omitUndefined, type QrCode } from '../../../core.ts';
import { createClient } from '../../shared/transport/createClient.ts';
import { toNodeError } from '../../shared/toNodeError.ts';

/** Pages read for one screen of results, so that a rare name doesn't block the editor. */
const MAX_PAGES = 20;

/**
 * Codes for the picker, one page at a time: the service's cursor is the editor's pagination token. The API has no
 * search, so pages are filtered here, and those without a match are skipped.
 */
export async function searchQrCodes(
  this: ILoadOptionsFunctions,
  filter?: string,
  paginationToken?: string,
): Promise<INodeListSearchResult> {
  try {
    const client = await createClient(this);
    const matches = matcher(filter);
    let cursor = paginationToken;
    for (let pages = 1; ; pages++) {
      const { rows, nextCursor } = await client.qr.listPage(omitUndefined({ cursor }));
      const results = rows.filter(matches).map(toResult);
      cursor = nextCursor;
      if (results.length > 0 || cursor === undefined || pages === MAX_PAGES)
        return omitUndefined({ results, paginationToken: cursor });
    }
  } catch (error) {
    throw toNodeError(this.getNode(), error);
  }
}

function matcher(filter: string | undefined): (code: QrCode) => boolean {
  const wanted = normalise(filter).toLowerCase();
  return ({ name, slug, publicUrl, id }) =>
    [name, slug, publicUrl, id].some((text) => normalise(text).toLowerCase().includes(wanted));
}

function toResult(code: QrCode): INodeListSearchResult['results'][number] {
  const url = normalise(code.publicUrl);
  return { name: codeLabel(code), value: code.id, ...(url === '' ? {} : { url }) };
}
