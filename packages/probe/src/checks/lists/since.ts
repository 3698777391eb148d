import type { QrCode } from '@qr-service/core';
import { readTime } from '@qr-service/core/connector';
import type { Probe } from '../Probe.ts';
import { FALLBACK_LIMIT, requirePage, type ReadPage, type UnreadPage } from './pages.ts';

/** Whether `updatedSince` includes that exact time. */
export async function checkSince(
  probe: Probe,
  rows: readonly QrCode[],
  empty: ReadPage | UnreadPage,
): Promise<void> {
  if (empty.page !== undefined && empty.page.rows.length > 0) {
    const all = await requirePage(probe, { limit: FALLBACK_LIMIT, updatedSince: new Date(0).toISOString() });
    if (all.page.rows.length === 0) {
      const explanation = 'Codes are listed that changed before updatedSince, instead of since then.';
      probe.answer('lists.since', { verdict: 'fails', value: 'inverted', explanation, from: [all.exchange] });
      return;
    }
    probe.ignores('/qr', 'updatedSince');
    probe.answer('lists.since', {
      verdict: 'differs',
      value: 'updatedSince is ignored',
      explanation:
        'Codes are listed that did not change since then. Polling works, but reads the whole workspace every time.',
      from: [empty.exchange],
    });
    return;
  }
  // In any stable order, the first row of the whole list comes first in each part of the list that includes it.
  const [row] = rows;
  const time = readTime(row?.updatedAt);
  if (row === undefined || time === undefined) {
    probe.answer('lists.since', {
      verdict: 'unknown',
      explanation:
        row === undefined
          ? `The workspace has no codes. ${probe.rerun('with more codes')}`
          : 'The first code has no readable updatedAt.',
    });
    return;
  }
  const pages: ReadPage[] = [];
  const includes = async (since: number) => {
    const page = await requirePage(probe, { limit: 5, updatedSince: new Date(since).toISOString() });
    pages.push(page);
    return page.page.rows.some(({ id, updatedAt }) => id === row.id && updatedAt === row.updatedAt);
  };
  const isIncludedBefore = (await includes(time - 1)) || (await includes(time - 1000));
  const isInclusive = await includes(time);
  const from = pages.map(({ exchange }) => exchange);
  if (!isIncludedBefore || (isInclusive && (await includes(time + 60_000)))) {
    probe.answer('lists.since', {
      verdict: 'unknown',
      explanation: isIncludedBefore
        ? 'A code is listed although it changed a minute earlier. Run the probe again while nobody changes codes.'
        : 'The first code is not listed with a time before its updatedAt. It may have changed meanwhile: run the probe again.',
      from,
    });
    return;
  }
  const form = isInclusive ? 'inclusive' : 'exclusive';
  probe.wireShape.listSince = form;
  probe.answer('lists.since', { verdict: 'works', value: form, from });
}
