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
    return false;
  }
  const { key, wrapper } = place;
  const value = `rows in ${showName(key)}${wrapper === undefined ? '' : `, inside ${showName(wrapper)}`}`;
  probe.answer('lists.key', { verdict: 'works', value, from: [exchange] });
  if (key === TOP_LEVEL) {
    probe.wireShape.listKey = TOP_LEVEL;
    return true;
  }
  const pagination = paginationPlace(exchange.json);
  const nesting = wrapper === undefined ? 'none' : pagination === wrapper ? 'page' : 'rows';
  const isKnown = wrapper === undefined || (wrapper === 'data' && pagination !== undefined);
  if ((wrapper === undefined || wrapper === 'data') && isFieldName(key)) probe.wireShape.listKey = key;
  if (isKnown) probe.wireShape.listNesting = nesting;
  return false;
}

async function firstCodeId(client: QrServiceClient): Promise<string | undefined> {
  const { rows } = await client.qr.listPage({ limit: 1 });
  return rows[0]?.id;
}

/** How the last page looks: the first known one of the candidates. */
export function noteEnd(probe: Probe, candidates: readonly (ReadPage | UnreadPage)[]): void {
  const last =
    candidates.findLast(
      ({ page }) => page !== undefined && page.rows.length > 0 && page.nextCursor === undefined,
    ) ?? candidates.find(({ page }) => page !== undefined && page.nextCursor === undefined);
  if (last?.page === undefined) return;
  const form = cursorForm(last.exchange.json);
  if (last.page.resumeCursor !== undefined) probe.wireShape.listEnd = 'repeated';
  else if (form === 'null' || form === 'empty' || form === 'missing') probe.wireShape.listEnd ??= form;
}
