import type { ScanPage, ScanRow } from '@qr-service/core';
import { readTime, scanRows } from '@qr-service/core/connector';
import { isShapeName, SCAN_ID_KEYS, SCAN_TIME_KEYS } from '@qr-service/core/shape';
import type { Exchange } from '../http/Exchange.ts';
import { showName } from '../http/redact.ts';
import { CheckEnded, NoResponse, type Probe } from './Probe.ts';
import { checkSince } from './since.ts';

const PATH = '/scans';
const HOUR_MS = 60 * 60 * 1000;
/** How long a visit of a short link may take to become a scan. */
const MAX_SCAN_MS = 8000;
const POLL_MS = 1000;
const NO_SCANS =
  'The workspace has no scans. Scan a published code with a phone, wait a minute, and run the probe again.';
const MOST_FIELDS = 40;

/** A page as received, and as the connector reads it. */
interface ReadPage {
  exchange: Exchange;
  page: ScanPage;
}

/** Looks at the list of scans. */
export async function checkScans(probe: Probe): Promise<void> {
  let first = await readPage(probe, {});
  const deadline = probe.now() + MAX_SCAN_MS;
  // The probe has just opened the short link of its own code.
  while (
    probe.write &&
    first.page.rows.length === 0 &&
    probe.now() < deadline &&
    probe.known.written.length > 0
  ) {
    await probe.connection.sleep(POLL_MS);
    first = await readPage(probe, {});
  }
  const { page, exchange } = first;
  probe.answer('scans.list', {
    verdict: 'works',
    value: page.rows.length === 0 ? 'no scans' : 'some scans',
    from: [exchange],
  });
  noteDimensions(probe, first);
  await checkCursor(probe, first);
  if (page.rows.length === 0)
    throw new CheckEnded(
      probe.write
        ? `${NO_SCANS} The probe opened the short link of its own code, but no scan was listed within ${MAX_SCAN_MS / 1000} s.`
        : NO_SCANS,
    );
  checkFields(probe, first);
  const [row] = scanRows(page.rows);
  await checkSince(probe, {
    id: 'scans.since',
    path: PATH,
    parameter: 'since',
    read: async (client) => scanRows((await client.scans.listPage({})).rows).map(({ id }) => id),
    row: row?.id ?? '',
    time: readTime(row?.scannedAt),
  });
}

async function readPage(probe: Probe, query: Record<string, string | number>): Promise<ReadPage> {
  const exchange = await probe.get(PATH, query);
  await probe.requireSuccess('scans.list', exchange);
  const { cursor } = query;
  const { result, error } = await probe.read([exchange], (client) =>
    client.scans.listPage(cursor === undefined ? {} : { cursor: String(cursor) }),
  );
  if (result === undefined) probe.fail('scans.list', error, exchange);
  return { exchange, page: result };
}

function noteDimensions(probe: Probe, { page: { allowedDimensions }, exchange }: ReadPage): void {
  if (allowedDimensions.length === 0 && !exchange.text.includes('"allowedDimensions"'))
    probe.lacks('allowedDimensions');
  else probe.shape.allowedDimensions = allowedDimensions.slice(0, MOST_FIELDS).filter(isShapeName);
}

/** Whether the last page has a cursor, too. */
async function checkCursor(probe: Probe, first: ReadPage): Promise<void> {
  const hour = new Date(probe.now() - HOUR_MS).toISOString();
  let last = first;
  if (hasNext(first) && !(await checkSecondPage(probe, first))) return;
  if (!(await checkNextRow(probe, first))) return;
  if (hasNext(first)) last = await readPage(probe, { since: hour });
  if (hasNext(last)) last = await readPage(probe, { since: new Date(probe.now()).toISOString() });
  const [cursor, isEmpty] = [last.page.nextCursor, last.page.rows.length === 0];
  if (cursor === undefined) {
    const isFeed = last.page.resumeCursor !== undefined;
    answerCursor(probe, isFeed, [first.exchange, last.exchange], isEmpty);
    return;
  }
  // A cursor on a page that ends the list: an empty page that repeats it follows.
  const query = { cursor, ...(last.exchange.request.query ?? {}) };
  const next = await readPage(probe, query);
  const isFeed = next.page.resumeCursor !== undefined;
  if (isFeed || (!hasNext(next) && next.page.rows.length === 0)) {
    answerCursor(probe, isFeed, [last.exchange, next.exchange], isEmpty);
    return;
  }
  probe.answer('scans.cursor', {
    verdict: 'unknown',
    explanation:
      'The end of the list was not reached: it is longer than the probe reads, or scans arrived meanwhile.',
    from: [last.exchange, next.exchange],
  });
}

/** Whether the second page continues the first one, with `since` as polling triggers send it. */
async function checkSecondPage(probe: Probe, { page, exchange }: ReadPage): Promise<boolean> {
  const cursor = page.nextCursor ?? '';
  const times = scanRows(page.rows).map(({ scannedAt }) => readTime(scannedAt) ?? NaN);
  const since = Math.min(...times) - 1000;
  const start = Number.isFinite(since)
    ? await readPage(probe, { since: new Date(since).toISOString() })
    : undefined;
  const queries = [
    { cursor },
    ...(start?.page.nextCursor === undefined
      ? []
      : [{ ...start.exchange.request.query, cursor: start.page.nextCursor }]),
  ];
  const fails = (value: string, explanation: string, from: readonly Exchange[]) => {
    probe.answer('scans.cursor', { verdict: 'fails', value, explanation, from });
    return false;
  };
  for (const query of queries) {
    let second: ReadPage;
    try {
      second = await readPage(probe, query);
    } catch (error) {
      if (error instanceof NoResponse) return fails('no second page', error.message, [exchange]);
      throw error;
    }
    if (JSON.stringify(second.page.rows) === JSON.stringify(page.rows))
      return fails(
        'the second page repeats the first',
        'The connector would read the same scans again and never get to later ones.',
        [exchange, second.exchange],
      );
  }
  return true;
}

/** Whether what follows the last row, listed by its time, is on the second page; without one, nothing may follow. */
async function checkNextRow(probe: Probe, { page, exchange }: ReadPage): Promise<boolean> {
  const last = scanRows(page.rows).at(-1);
  const time = readTime(last?.scannedAt);
  if (time === undefined) return true;
  const later = await readPage(probe, { since: new Date(time - 1000).toISOString() });
  const rows = scanRows(later.page.rows);
  const at = rows.findIndex(({ id }) => id === last?.id);
  const next = at < 0 ? undefined : rows[at + 1];
  // Scans arrive all the time, also late.
  if (next === undefined || !((readTime(next.scannedAt) ?? NaN) < probe.now() - HOUR_MS)) return true;
  const cursor = page.nextCursor;
  const second = cursor === undefined ? undefined : await readPage(probe, { cursor });
  if (second !== undefined && scanRows(second.page.rows).some(({ id }) => id === next.id)) return true;
  probe.answer('scans.cursor', {
    verdict: 'fails',
    value: cursor === undefined ? 'none, although there are more scans' : 'the second page skips rows',
    explanation: 'The connector misses scans that follow the first page.',
    from: [exchange, later.exchange, second?.exchange],
  });
  return false;
}

const hasNext = ({ page }: ReadPage): boolean => page.nextCursor !== undefined;

function answerCursor(probe: Probe, isFeed: boolean, from: readonly Exchange[], isEmpty: boolean): void {
  const isArray = Array.isArray(from[0]?.json);
  if (!isArray) probe.wireShape.scanCursor = isFeed ? 'always' : 'between pages';
  probe.answer('scans.cursor', {
    verdict: 'works',
    value: isFeed ? 'an empty page that repeats its cursor' : 'none',
    explanation: isEmpty && !isFeed ? 'Seen on an empty page.' : undefined,
    from,
  });
}

/** The names of the fields that the connector reads. */
function checkFields(probe: Probe, { page, exchange }: ReadPage): void {
  const { rows } = page;
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, MOST_FIELDS);
  const isId = (name: string) =>
    rows.every((row) => scanRows([{ [name]: row[name] }])[0]?.id === String(row[name]));
  const id = SCAN_ID_KEYS.find(isId);
  const scannedAt = SCAN_TIME_KEYS.find((name) => rows.every((row) => readTime(row[name]) !== undefined));
  const qrId = qrIdName(probe, rows, names);
  probe.wireShape.scanRow = id === undefined ? 'without id' : 'with id';
  probe.shape.scanFields = {
    ...(id !== undefined && { id }),
    ...(qrId !== undefined && isShapeName(qrId) && { qrId }),
    ...(scannedAt !== undefined && { scannedAt }),
  };
  if (scannedAt === undefined) probe.lacks('scannedAt');
  const parts = [
    id === undefined ? 'without ID' : `ID in ${id}`,
    scannedAt === undefined ? 'without a time' : `time in ${scannedAt}`,
    qrId === undefined ? 'without the code' : `code in ${showName(qrId)}`,
  ];
  const explanations = [
    ...(id === undefined ? ['Rows without an ID are told apart by their content.'] : []),
    ...(scannedAt === undefined
      ? ['The connector recognizes no time in a row, so triggers tell scans apart by ID alone.']
      : []),
    ...(qrId === undefined ? ['No field contains the ID of a code that the probe knows.'] : []),
    `All fields: ${names.map((name) => showName(name)).join(', ')}.`,
  ];
  probe.answer('scans.fields', {
    verdict: 'works',
    value: parts.join(', '),
    explanation: explanations.join(' '),
    from: [exchange],
  });
}

function qrIdName(probe: Probe, rows: readonly ScanRow[], names: readonly string[]): string | undefined {
  const ids = new Set<unknown>([...probe.known.codes, ...probe.known.written].map(({ id }) => id));
  const isCode = (name: string) => rows.some((row) => ids.has(row[name]) || ids.has(String(row[name])));
  return names.find(isCode) ?? names.find((name) => /^(qr|qr_?code|code)_?id$/i.test(name));
}
