import type { Page, QrCode } from '@qr-service/core';
import { readHeader } from '@qr-service/core/connector';
import type { Exchange } from '../../http/Exchange.ts';
import { showName } from '../../http/redact.ts';
import { CheckEnded, type Probe } from '../Probe.ts';

/** Rows that the connector requests per page, and after a refusal. */
export const USUAL_LIMIT = 100;
export const FALLBACK_LIMIT = 50;
const PATH = '/qr';

/** What the age of a list says: a cache returns it; nothing without one. */
export function cachedFor({ headers }: Exchange): string {
  const age = Number(readHeader(headers, 'Age') ?? 0);
  return age > 0 ? ` A cache returns the list, ${age} s old.` : '';
}

/** A page as received, and as the connector reads it. */
export interface ReadPage {
  exchange: Exchange;
  page: Page<QrCode>;
}

/** A page that the connector can't read. */
export interface UnreadPage {
  exchange: Exchange;
  page?: undefined;
}

/** The first page, requested as the connector requests it. */
export async function readFirstPage(probe: Probe): Promise<ReadPage> {
  const usual = await probe.get(PATH, { limit: USUAL_LIMIT });
  const refused = usual.status === 400 || usual.status === 422;
  const exchanges = refused ? [usual, await probe.get(PATH, { limit: FALLBACK_LIMIT })] : [usual];
  const exchange = exchanges.at(-1) as Exchange;
  const { result, error } = await probe.read(exchanges, (client) => client.qr.listPage());
  if (result !== undefined) return { exchange, page: result };
  await probe.requireSuccess('lists.key', exchange);
  if (refused) {
    probe.repeat(usual, { limit: String(USUAL_LIMIT) });
    probe.answer('lists.key', {
      verdict: 'fails',
      value: `refuses ${USUAL_LIMIT} with status ${usual.status}`,
      explanation: `The connector requests ${FALLBACK_LIMIT} rows only after a 422. ${probe.explain(error)}`,
      from: exchanges,
    });
    throw new CheckEnded("The connector can't list codes, because of the page size.");
  }
  return probe.fail('lists.key', error, exchange);
}

/** A page of codes: without `page` if the connector can't read it. */
export async function readPage(
  probe: Probe,
  query: Record<string, string | number>,
): Promise<ReadPage | UnreadPage> {
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

/** @throws CheckEnded if the connector can't read the page */
export async function requirePage(probe: Probe, query: Record<string, string | number>): Promise<ReadPage> {
  const read = await readPage(probe, query);
  if (read.page !== undefined) return read;
  const error = await probe.failureOf(read.exchange);
  throw new CheckEnded(
    `A request for ${Object.keys(query).join(' and ')} returned something unexpected (status ${read.exchange.status}${error === undefined ? '' : `, ${showName(error.code)}`}).`,
  );
}
