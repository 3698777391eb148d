import type { Page, QrCode, QrServiceClient } from '@qr-service/core';
import { readTime } from '@qr-service/core/connector';
import type { Exchange } from '../http/Exchange.ts';
import { isFurtherRequest } from '../http/readWithCore.ts';
import { isFieldName, safeText } from '../http/redact.ts';
import { codePath } from './changes.ts';
import { cursorForm, paginationPlace, rowsPlace, TOP_LEVEL } from './listForm.ts';
import { checkOrder } from './order.ts';
import { CheckEnded, NoResponse, type Probe } from './Probe.ts';

/** Rows that the connector requests per page, and after a refusal. */
const USUAL_LIMIT = 100;
const FALLBACK_LIMIT = 50;
const MAX_PAGES = 5;
/** More codes than this aren't changed or deleted between two requests. */
const MAX_LOOKUPS = 3;
/** No code was changed since then. */
const FUTURE = '2099-01-01T00:00:00.000Z';
const PATH = '/qr';

/** A page as received, and as the connector reads it. */
interface ReadPage {
  exchange: Exchange;
  page: Page<QrCode>;
}

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

/** The first page, requested as the connector requests it. */
async function readFirstPage(probe: Probe): Promise<ReadPage> {
  const usual = await probe.get(PATH, { limit: USUAL_LIMIT });
  const refused = usual.status === 400 || usual.status === 422;
  const exchanges = refused ? [usual, await probe.get(PATH, { limit: FALLBACK_LIMIT })] : [usual];
  const exchange = exchanges.at(-1) as Exchange;
  const { result, error } = await probe.read(exchanges, (client) => client.qr.listPage());
  if (result !== undefined) return { exchange, page: result };
  await probe.requireSuccess('lists.key', exchange, PATH);
  if (refused) {
    probe.answer('lists.limit', {
      verdict: 'fails',
      value: `refuses ${USUAL_LIMIT} with status ${usual.status}`,
      explanation: `The connector requests ${FALLBACK_LIMIT} rows only after a 422. ${probe.explain(error)}`,
      from: exchanges,
    });
    throw new CheckEnded("The connector can't list codes, because of the page size.");
  }
  return probe.fail('lists.key', error, exchange, PATH);
}

async function readPage(
  probe: Probe,
  query: Record<string, string | number>,
): Promise<ReadPage | { exchange: Exchange; page?: undefined }> {
  const exchange = await probe.get(PATH, query);
  const { limit, cursor, updatedSince } = query;
  const { result } = await probe.read([exchange], (client) =>
    client.qr.listPage({
      limit: Number(limit ?? 0),
      ...(cursor !== undefined && { cursor: String(cursor) }),
      ...(updatedSince !== undefined && { updatedSince: String(updatedSince) }),
    }),
  );
  return result === undefined ? { exchange } : { exchange, page: result };
}

async function requirePage(probe: Probe, query: Record<string, string | number>): Promise<ReadPage> {
  const read = await readPage(probe, query);
  if (read.page !== undefined) return read;
  const error = await probe.failureOf(read.exchange);
  throw new CheckEnded(
    `A request for ${Object.keys(query).join(' and ')} returned something unexpected (status ${read.exchange.status}${error === undefined ? '' : `, ${safeText(error.code)}`}).`,
  );
}

/** @returns whether the list is a top-level array */
async function checkForm(probe: Probe, { exchange }: ReadPage): Promise<boolean> {
  const place = await rowsPlace(probe, exchange, firstCodeId);
  if (place === undefined) {
    const explanation =
      'The connector reads this list, but several arrays are empty: run the probe again in a workspace with a code, or with --write.';
    probe.answer('lists.key', { verdict: 'unknown', explanation, from: [exchange] });
    probe.answer('lists.nesting', { verdict: 'unknown', explanation });
    return false;
  }
  const { key, wrapper } = place;
  probe.answer('lists.key', { verdict: 'works', value: safeText(key), from: [exchange] });
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
    rows: `rows in ${safeText(wrapper ?? '')}`,
    page: `whole page in ${safeText(wrapper ?? '')}`,
  };
  probe.answer('lists.nesting', { verdict: 'works', value: names[nesting], from: [exchange] });
  return false;
}

async function firstCodeId(client: QrServiceClient): Promise<string | undefined> {
  const { rows } = await client.qr.listPage({ limit: 1 });
  return rows[0]?.id;
}

/** Walks over a few pages, and lets the connector's own walk read them. */
async function checkWalk(probe: Probe, first: ReadPage, isArray: boolean): Promise<ReadPage[]> {
  const { rows } = first.page;
  if (rows.length < 2) {
    probe.answer('lists.walk', {
      verdict: 'unknown',
      explanation: `The workspace has ${rows.length === 0 ? 'no codes' : 'one code'}, which fits on one page. ${MORE_CODES}`,
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
  if (missing.length > 0)
    return fails(
      `${rows.length - missing.length} of ${rows.length} rows`,
      pages.length === 1
        ? `A page of ${limit} rows has no nextCursor, although there are more rows. The connector takes it for the end of the list, so it would never see the rest of a long list.`
        : 'A walk over several pages skips rows that one page contains. The connector would miss them.',
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

/** Pages that were read one after the other, and what the connector can't cope with. */
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

const MORE_CODES = 'Run it again with more codes, or with --write, which creates three.';

/** How the last page looks: the first known one of the candidates. */
function checkEnd(
  probe: Probe,
  {
    isArray,
    candidates,
  }: { isArray: boolean; candidates: readonly (ReadPage | { exchange: Exchange; page?: undefined })[] },
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
  if (!isFeed && (form === 'null' || form === 'empty' || form === 'missing')) probe.wireShape.listEnd = form;
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

/** Whether `updatedSince` includes that exact time. */
async function checkSince(
  probe: Probe,
  rows: readonly QrCode[],
  empty: { exchange: Exchange; page?: Page<QrCode> | undefined },
): Promise<void> {
  if (empty.page !== undefined && empty.page.rows.length > 0) {
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
          ? `The workspace has no codes. ${MORE_CODES}`
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
  const isCoarse = isInclusive && (await includes(time + 1));
  const from = pages.map(({ exchange }) => exchange);
  if (!isIncludedBefore || (isCoarse && (await includes(time + 60_000)))) {
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
  probe.answer('lists.since', {
    verdict: 'works',
    value: isCoarse ? 'inclusive, and less exact than a millisecond' : form,
    from,
  });
}
