import type { Probe } from '../Probe.ts';
import { checkForm, noteEnd } from './form.ts';
import { checkOrder } from './order.ts';
import {
  cachedFor,
  FALLBACK_LIMIT,
  readFirstPage,
  readPage,
  requirePage,
  USUAL_LIMIT,
  type ReadPage,
} from './pages.ts';
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
  if (!isArray) noteEnd(probe, [...walk, first, empty]);
  const requested = Number(exchange.request.query?.['limit']);
  if (requested !== USUAL_LIMIT) probe.wireShape.maxLimit = requested;
  checkCache(probe, first);
  await checkSince(probe, page.rows, empty);
  // It may change a code, so it comes last.
  await checkOrder(probe, async (query) => (await requirePage(probe, query)).page, page.rows);
}

/** Whether the whole list is as new as what the probe created. */
function checkCache(probe: Probe, { exchange, page }: ReadPage): void {
  const [own] = probe.known.written;
  const isMissing =
    own !== undefined && page.nextCursor === undefined && page.rows.every(({ id }) => id !== own.id);
  const cached = cachedFor(exchange);
  if (probe.write ? !isMissing || probe.answerTo('lists.visibility')?.verdict !== 'works' : cached === '')
    return;
  const explanation = probe.write
    ? `The list of all codes doesn't contain a new code that changed codes contain.${cached}`
    : `${cached.trim()} Run the probe again with --write to see when a new code is listed.`;
  probe.answer('lists.visibility', { verdict: 'unknown', value: 'late', explanation, from: [exchange] });
}
