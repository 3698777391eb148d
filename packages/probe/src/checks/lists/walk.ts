import type { QrCode } from '@qr-service/core';
import { readTime } from '@qr-service/core/connector';
import type { Exchange } from '../../http/Exchange.ts';
import { isFurtherRequest } from '../../http/readWithCore.ts';
import { codePath } from '../changes.ts';
import { NoResponse, type Probe } from '../Probe.ts';
import { readPage, type ReadPage } from './pages.ts';

const MAX_PAGES = 5;
/** A code that changed within this time may be new. */
const NEW_MS = 10 * 60 * 1000;
/** More codes than this aren't changed or deleted between two requests. */
const MAX_LOOKUPS = 3;

/** Walks over a few pages, and lets the connector's own walk read them. */
export async function checkWalk(probe: Probe, first: ReadPage, isArray: boolean): Promise<ReadPage[]> {
  const { rows } = first.page;
  if (rows.length < 2) {
    probe.answer('lists.walk', {
      verdict: 'unknown',
      explanation: `The workspace has ${rows.length === 0 ? 'no codes' : 'one code'}, which fits on one page. ${probe.rerun('with more codes')}`,
      from: [first.exchange],
    });
    return [];
  }
  const limit = Math.ceil(rows.length / 3);
  const walk = await walkPages(probe, { limit }, MAX_PAGES);
  const { pages, failure } = walk;
  const exchanges = pages.map(({ exchange }) => exchange);
  const missing = walk.isComplete ? await missingRows(probe, rows, pages) : [];
  const fails = (value: string | undefined, explanation: string, from: readonly Exchange[]) => {
    probe.answer('lists.walk', { verdict: 'fails', value, explanation, from });
    return pages;
  };
  if (failure !== undefined) return fails(failure.value, failure.explanation, failure.from);
  if (missing.length > 0 && pages.length === 1) probe.wireShape.listEnd = 'never';
  if (missing.length > 0)
    return fails(
      `${rows.length - missing.length} of ${rows.length} rows`,
      pages.length === 1
        ? `A page of ${limit} rows has no nextCursor, although there are more rows. The connector takes it for the end of the list, so it would never see the rest of a long list.`
        : 'A walk over several pages skips rows that one page contains. The connector would miss them.',
      [first.exchange, ...exchanges],
    );
  // Others may create codes meanwhile.
  const isOldAndMissing = ({ id, updatedAt }: QrCode) =>
    rows.every((row) => row.id !== id) && (readTime(updatedAt) ?? NaN) < first.exchange.sentAt - NEW_MS;
  const isCut =
    first.page.nextCursor === undefined && pages.some(({ page }) => page.rows.some(isOldAndMissing));
  if (isCut)
    return fails(
      `only ${rows.length} rows`,
      `A page of ${rows.length} rows has no nextCursor, although smaller pages have more. The connector takes it for the end of the list.`,
      [first.exchange, ...exchanges],
    );
  // Polling triggers send both.
  const since = Math.min(...rows.map(({ updatedAt }) => readTime(updatedAt) ?? NaN)) - 1000;
  if (pages.length > 1 && Number.isFinite(since)) {
    const updatedSince = new Date(since).toISOString();
    const { failure: other } = await walkPages(probe, { limit, updatedSince }, 2);
    if (other !== undefined) return fails(`with updatedSince, ${other.value}`, other.explanation, other.from);
  }
  if (isArray) {
    probe.answer('lists.walk', {
      verdict: 'works',
      value: 'all rows on one page',
      explanation: 'An array has no room for a cursor, so the connector takes it for the whole list.',
      from: [first.exchange, ...exchanges],
    });
    return [];
  }
  const ids = pages.flatMap(({ page }) => page.rows.map(({ id, updatedAt }) => `${id} ${updatedAt}`));
  const repeated = ids.length - new Set(ids).size;
  const isTooLong = pages.some(({ page }) => page.rows.length > limit);
  if (isTooLong && repeated === 0) probe.ignores('/qr', 'limit');
  const explanations = [
    ...(repeated > 0
      ? [
          'Pages repeat rows, although pagination should not. The connector skips those it has seen when it polls.',
        ]
      : []),
    ...(isTooLong ? [`Pages have more rows than the requested ${limit}, so limit may be ignored.`] : []),
    ...(walk.isComplete ? [] : [`The probe read ${pages.length} pages and stopped there.`]),
  ];
  probe.answer('lists.walk', {
    verdict: repeated > 0 || isTooLong ? 'differs' : 'works',
    value: `${pages.length} ${pages.length === 1 ? 'page' : 'pages'} of up to ${limit} rows`,
    explanation: explanations.length === 0 ? undefined : explanations.join(' '),
    from: exchanges,
  });
  return pages;
}

/** Pages that were read one after the other, and why the connector couldn't read them, if it couldn't. */
interface Walk {
  pages: ReadPage[];
  isComplete: boolean;
  failure?: { value: string; explanation: string; from: readonly Exchange[] };
}

async function walkPages(
  probe: Probe,
  query: { limit: number; updatedSince?: string },
  maxPages: number,
): Promise<Walk> {
  const pages: ReadPage[] = [];
  const failed = (explanation: string, from: readonly Exchange[]): Walk => ({
    pages,
    isComplete: false,
    failure: { value: `page ${pages.length + 1} of ${query.limit} rows failed`, explanation, from },
  });
  let cursor: string | undefined;
  do {
    let read: Awaited<ReturnType<typeof readPage>>;
    try {
      read = await readPage(probe, { ...query, ...(cursor !== undefined && { cursor }) });
    } catch (error) {
      if (error instanceof NoResponse) return failed(error.message, []);
      throw error;
    }
    if (read.page === undefined) {
      const { query = {} } = read.exchange.request;
      const names = Object.keys(query).filter((name) => name !== 'limit');
      probe.repeat(read.exchange, Object.fromEntries(names.map((name) => [name, '*'])));
      const error = await probe.failureOf(read.exchange);
      const explanation = error === undefined ? "The connector can't read this page." : probe.explain(error);
      return failed(explanation, [read.exchange]);
    }
    pages.push(read);
    cursor = read.page.nextCursor;
  } while (cursor !== undefined && pages.length < maxPages);

  const exchanges = pages.map(({ exchange }) => exchange);
  const { error } = await probe.read(exchanges, async (client) => {
    const walk = client.qr.list(query).pages()[Symbol.asyncIterator]();
    while ((await walk.next()).done !== true);
  });
  if (error !== undefined && !isFurtherRequest(error)) {
    const failure = { value: `${pages.length} pages`, explanation: probe.explain(error), from: exchanges };
    return { pages, isComplete: false, failure };
  }
  return { pages, isComplete: cursor === undefined };
}

/** Codes of one page that a walk over several doesn't contain, without those that were changed or deleted meanwhile. */
async function missingRows(
  probe: Probe,
  rows: readonly QrCode[],
  pages: readonly ReadPage[],
): Promise<QrCode[]> {
  const walked = new Set(pages.flatMap(({ page }) => page.rows.map(({ id }) => id)));
  const missing = rows.filter(({ id }) => !walked.has(id));
  if (missing.length > MAX_LOOKUPS) return missing;
  const unchanged: QrCode[] = [];
  for (const row of missing) {
    const exchange = await probe.get(codePath(row.id));
    const { result: code } = await probe.read([exchange], (client) => client.qr.get(row.id));
    if (code?.updatedAt === row.updatedAt) unchanged.push(row);
  }
  return unchanged;
}
