import { readTime } from '@qr-service/core/connector';
import { CheckEnded, type Probe } from '../Probe.ts';
import { checkSince, FUTURE } from '../since.ts';
import { checkEdits } from './edits.ts';
import { checkForm, noteEnd } from './form.ts';
import { cachedFor, FALLBACK_LIMIT, readFirstPage, readPage, USUAL_LIMIT, type ReadPage } from './pages.ts';
import { checkWalk } from './walk.ts';

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
  // In any stable order, the first row of the whole list comes first in each part of the list that includes it.
  const [row] = page.rows;
  if (row === undefined)
    throw new CheckEnded(`The workspace has no codes. ${probe.rerun('with more codes')}`);
  const textOf = ({ id, updatedAt }: typeof row) => `${id} ${updatedAt}`;
  await checkSince(probe, {
    id: 'lists.since',
    path: '/qr',
    parameter: 'updatedSince',
    read: async (client) => (await client.qr.listPage({ limit: 1 })).rows.map(textOf),
    row: textOf(row),
    time: readTime(row.updatedAt),
  });
  // It changes a code, so it comes last.
  if (probe.write) await checkEdits(probe);
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
