import { isApiError } from '@qr-service/core';
import { identifyScans, omitUndefined, readTime, scannedCodeId } from '@qr-service/core/connector';
import { differs, fails, unknown, works, type Outcome } from '../findings/Finding.ts';
import { MAX_CHANGE_MS, needsCodes, ownCode, waitUntil, type Probe } from './Probe.ts';

const MAX_PAGES = 4;
/** How long the probe waits until a new code is listed, in milliseconds. */
const MAX_VISIBLE_MS = 20_000;
/** How far back the probe lists its own code and scan, as clocks differ. */
const MARGIN_MS = 60_000;
/** How late lists may show a row: polling triggers read so far back. */
const MAX_LATE_MS = 5 * 60_000;
/** Nothing was changed or scanned since then. */
const FUTURE = '2099-01-01T00:00:00.000Z';

/** Reads the list of codes as the connectors do. */
export async function checkList(probe: Probe): Promise<Outcome> {
  const { rows, nextCursor } = await probe.client.qr.listPage();
  probe.known.codes = rows;
  return works(count(rows.length, 'code', nextCursor));
}

/** For example `100 codes and more`. */
function count(number: number, noun: string, nextCursor?: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}${nextCursor === undefined ? '' : ' and more'}`;
}

/** Reads the same rows over several pages. */
export async function checkPages(probe: Probe): Promise<Outcome> {
  const { codes = [] } = probe.known;
  if (codes.length < 2) return needsCodes(probe, 'second code');
  const limit = Math.ceil(codes.length / 3);
  const ids: string[] = [];
  const cursors: (string | undefined)[] = [undefined];
  do {
    const page = await probe.client.qr.listPage(omitUndefined({ limit, cursor: cursors.at(-1) }));
    ids.push(...page.rows.map(({ id }) => id));
    if (page.nextCursor !== undefined && cursors.includes(page.nextCursor))
      return fails('same cursor twice', 'The connectors stop there to avoid an infinite loop.');
    cursors.push(page.nextCursor);
  } while (cursors.at(-1) !== undefined && cursors.length <= MAX_PAGES);
  const pages = count(cursors.length - 1, 'page');
  const found = codes.filter(({ id }) => ids.includes(id)).length;
  if (found < codes.length)
    return fails(
      `${pages} with ${found} of ${codes.length} codes`,
      'Smaller pages skip codes that one large page contains, or end without nextCursor. The connectors would miss them.',
    );
  if (cursors.length === 2)
    return unknown(
      `Pages of ${limit} were requested, but all codes came in one. Add codes until the list has a second page.`,
      `${pages} with ${ids.length} codes`,
    );
  if (new Set(ids).size === ids.length) return works(`${pages} with ${ids.length} codes`);
  return differs('codes repeat', 'Triggers skip duplicates, but steps that list codes return them twice.');
}

/** Reads the first page of a list, or of its rows since a time, as polling triggers request them. */
type ReadSince = (since?: string) => Promise<readonly { id: string; time: number | undefined }[]>;

/** Whether a list leaves out what is older than a time, and nothing else. */
async function checkSince({ known, now }: Probe, parameter: string, read: ReadSince): Promise<Outcome> {
  const isSettled = (time: number) => time < (readTime(known.own?.updatedAt) ?? now()) - MAX_LATE_MS;
  const newestFirst = (await read())
    .flatMap(({ id, time }) => (time === undefined ? [] : [{ id, time }]))
    .toSorted((one, other) => other.time - one.time);
  const row = newestFirst.find(({ time }) => isSettled(time)) ?? newestFirst[0];
  if (row === undefined) return unknown('The list has no row with a readable time.');
  const newer = await read(new Date(row.time - 1000).toISOString());
  if (!newer.some(({ id }) => id === row.id)) {
    const seen = `With ${parameter} set to a second before its own time, a row isn't listed.`;
    const advice = 'It is new, so it may be listed late. Run the probe again in five minutes.';
    return isSettled(row.time) ? fails('a row is missing', seen) : unknown(`${seen} ${advice}`);
  }
  const future = await read(FUTURE).catch((error: unknown) => {
    // A service may refuse a time in the future.
    if (isApiError(error)) return [];
    throw error;
  });
  if (future.length === 0) return works('only newer rows');
  return differs(`${parameter} is ignored`, 'Polling works, but reads everything every time.');
}

/** Lists codes since a time. */
export function checkCodesSince(probe: Probe): Promise<Outcome> {
  return checkSince(probe, 'updatedSince', async (updatedSince) => {
    const { rows } = await probe.client.qr.listPage(omitUndefined({ updatedSince }));
    return rows.map(({ id, updatedAt }) => ({ id, time: readTime(updatedAt) }));
  });
}

/** How late lists are: polling triggers read five minutes back. */
export async function checkVisible(probe: Probe): Promise<Outcome> {
  const { client, known, now } = probe;
  const { createdAt = now() } = known;
  const updatedSince = new Date(createdAt - MARGIN_MS).toISOString();
  const look = () => hasRow(client.qr.list({ updatedSince }), ({ id }) => id === ownCode(probe).id);
  const isListed = await waitUntil(probe, look, Boolean, createdAt + MAX_VISIBLE_MS);
  const value = `within ${Math.ceil((now() - createdAt) / 1000)} s`;
  if (isListed) return works(value);
  return unknown('Polling triggers look back five minutes, so they miss codes listed later.', `not ${value}`);
}

async function hasRow<Row>(list: AsyncIterable<Row>, isWanted: (row: Row) => boolean): Promise<boolean> {
  for await (const row of list) if (isWanted(row)) return true;
  return false;
}

/** Reads the list of scans, and looks whether the probe's own visit of a short link became one. */
export async function checkScans(probe: Probe): Promise<Outcome> {
  const { client, known } = probe;
  const visit = known.visitedAt === undefined ? '' : await checkVisit(probe, known.visitedAt);
  const { rows, nextCursor } = await client.scans.listPage();
  const [first] = identifyScans(rows);
  if (first === undefined)
    return unknown(
      'Scan a published code with a phone, wait a minute, and run the probe again.',
      `no scans${visit}`,
    );
  const next = nextCursor === undefined ? undefined : await client.scans.listPage({ cursor: nextCursor });
  if (next !== undefined && JSON.stringify(next.rows) === JSON.stringify(rows))
    return fails(
      'the second page repeats the first',
      'The connectors would read the same scans again and never get to later ones.',
    );
  const value = `${count(rows.length, 'scan', nextCursor)}${visit}`;
  if (first.scannedAt === null)
    return differs(value, 'Scans have no recognizable time, so triggers tell them apart by ID alone.');
  if (scannedCodeId(first) === '')
    return differs(value, "Scans don't name their code in qrId: filters and counts by code don't work.");
  return works(value);
}

async function checkVisit(probe: Probe, visitedAt: number): Promise<string> {
  const since = new Date(visitedAt - MARGIN_MS).toISOString();
  const look = () => hasRow(probe.client.scans.list({ since }), ({ qrId }) => qrId === ownCode(probe).id);
  const isListed = await waitUntil(probe, look, Boolean, visitedAt + MAX_CHANGE_MS);
  return `, the probe's own ${isListed ? '' : 'not '}within ${Math.ceil((probe.now() - visitedAt) / 1000)} s`;
}

/** Lists scans since a time. */
export function checkScansSince(probe: Probe): Promise<Outcome> {
  return checkSince(probe, 'since', async (since) => {
    const { rows } = await probe.client.scans.listPage(omitUndefined({ since }));
    return identifyScans(rows).map(({ id, scannedAt }) => ({ id, time: readTime(scannedAt) }));
  });
}
