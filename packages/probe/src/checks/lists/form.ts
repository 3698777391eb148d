import type { QrServiceClient } from '@qr-service/core';
import { isFieldName, showName } from '../../http/redact.ts';
import { cursorForm, paginationPlace, rowsPlace, TOP_LEVEL } from '../listForm.ts';
import type { Probe } from '../Probe.ts';
import type { ReadPage, UnreadPage } from './pages.ts';

/**
 * Where the rows of the list are.
 * @returns whether the list is a top-level array
 */
export async function checkForm(probe: Probe, { exchange }: ReadPage): Promise<boolean> {
  const place = await rowsPlace(probe, exchange, firstCodeId);
  if (place === undefined) {
    const explanation = `The connector reads this list, but several arrays are empty. ${probe.rerun('with a code')}`;
    probe.answer('lists.key', { verdict: 'unknown', explanation, from: [exchange] });
    probe.answer('lists.nesting', { verdict: 'unknown', explanation });
    return false;
  }
  const { key, wrapper } = place;
  probe.answer('lists.key', { verdict: 'works', value: showName(key), from: [exchange] });
  if (key === TOP_LEVEL) {
    probe.wireShape.listKey = TOP_LEVEL;
    probe.answer('lists.nesting', { verdict: 'works', value: 'none', from: [exchange] });
    return true;
  }
  const pagination = paginationPlace(exchange.json);
  const nesting = wrapper === undefined ? 'none' : pagination === wrapper ? 'page' : 'rows';
  const isKnown = wrapper === undefined || (wrapper === 'data' && pagination !== undefined);
  if ((wrapper === undefined || wrapper === 'data') && isFieldName(key)) probe.wireShape.listKey = key;
  if (isKnown) probe.wireShape.listNesting = nesting;
  const names = {
    none: 'none',
    rows: `rows in ${showName(wrapper ?? '')}`,
    page: `whole page in ${showName(wrapper ?? '')}`,
  };
  probe.answer('lists.nesting', { verdict: 'works', value: names[nesting], from: [exchange] });
  return false;
}

async function firstCodeId(client: QrServiceClient): Promise<string | undefined> {
  const { rows } = await client.qr.listPage({ limit: 1 });
  return rows[0]?.id;
}

/** How the last page looks: the first known one of the candidates. */
export function checkEnd(
  probe: Probe,
  { isArray, candidates }: { isArray: boolean; candidates: readonly (ReadPage | UnreadPage)[] },
): void {
  if (isArray) {
    probe.answer('lists.end', { verdict: 'works', value: 'no cursor' });
    return;
  }
  const last =
    candidates.findLast(
      ({ page }) => page !== undefined && page.rows.length > 0 && page.nextCursor === undefined,
    ) ?? candidates.find(({ page }) => page !== undefined && page.nextCursor === undefined);
  if (last?.page === undefined) {
    const feed = candidates.find(({ page }) => page !== undefined);
    probe.answer('lists.end', {
      verdict: 'unknown',
      value: 'every page so far has a cursor',
      explanation: 'The list is longer than the probe reads, and an empty list has a cursor too.',
      from: [feed?.exchange],
    });
    return;
  }
  const { exchange, page } = last;
  const form = cursorForm(exchange.json);
  const isFeed = page.resumeCursor !== undefined;
  if (isFeed) probe.wireShape.listEnd = 'repeated';
  else if (form === 'null' || form === 'empty' || form === 'missing') probe.wireShape.listEnd ??= form;
  probe.answer('lists.end', {
    verdict: 'works',
    value: isFeed ? 'an empty page that repeats its cursor' : form,
    explanation:
      page.rows.length > 0
        ? undefined
        : candidates.some((read) => read.page !== undefined && read.page.rows.length > 0)
          ? 'Seen on an empty page: the list itself is longer than the probe reads.'
          : 'Seen on an empty page.',
    from: [exchange],
  });
}
