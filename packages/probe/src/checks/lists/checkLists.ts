import type { Probe } from '../Probe.ts';
import { checkEnd, checkForm } from './form.ts';
import { checkOrder } from './order.ts';
import { FALLBACK_LIMIT, readFirstPage, readPage, requirePage, USUAL_LIMIT, type ReadPage } from './pages.ts';
import { checkSince } from './since.ts';
import { checkWalk } from './walk.ts';

/** No code was changed since then. */
const FUTURE = '2099-01-01T00:00:00.000Z';

/** Looks at the list of codes. */
export async function checkLists(probe: Probe): Promise<void> {
  const first = await readFirstPage(probe);
  const { page, exchange } = first;
  probe.known.codes = page.rows;
  const empty = await readPage(probe, { limit: FALLBACK_LIMIT, updatedSince: FUTURE });
  const isArray = await checkForm(probe, first);
  const walk = await checkWalk(probe, first, isArray);
  checkEnd(probe, { isArray, candidates: [...walk, first, empty] });
  checkLimit(probe, first);
  await checkSince(probe, page.rows, empty);
  // It may change a code, so it comes last.
  await checkOrder(probe, async (query) => (await requirePage(probe, query)).page, page.rows, exchange);
}

/** Whether the page size that the connector requests is accepted, and kept to. */
function checkLimit(probe: Probe, { exchange, page }: ReadPage): void {
  const requested = Number(exchange.request.query?.['limit']);
  const isRefused = requested !== USUAL_LIMIT;
  const isShortened = page.nextCursor !== undefined && page.rows.length < requested;
  if (isRefused) probe.wireShape.maxLimit = requested;
  const accepted = isRefused ? `${requested} rows, not ${USUAL_LIMIT}` : `${requested} rows`;
  probe.answer('lists.limit', {
    verdict: 'works',
    value: isShortened ? `${page.rows.length} rows instead of ${requested}` : accepted,
    explanation: isShortened
      ? 'Pages are shorter than requested. The connector follows the cursor, so it loses nothing.'
      : isRefused
        ? `The connector requests ${requested} rows after the service refuses ${USUAL_LIMIT}.`
        : undefined,
    from: [exchange],
  });
}
