import type { QrServiceClient } from '@qr-service/core';
import type { Exchange } from '../http/Exchange.ts';
import type { Probe } from './Probe.ts';

/** Nothing was changed or scanned since then. */
export const FUTURE = '2099-01-01T00:00:00.000Z';

/** A list that can begin at a time, as polling triggers request it. */
interface SinceList {
  id: 'lists.since' | 'scans.since';
  path: string;
  /** Name of the query parameter. */
  parameter: string;
  /** The rows of a page as texts. */
  read: (client: QrServiceClient) => Promise<string[]>;
  /** A row that the list must have from shortly before its time on, in milliseconds; undefined if it has none. */
  row: string;
  time: number | undefined;
}

/** Whether a list leaves out what is older than a time, and nothing else. */
export async function checkSince(probe: Probe, list: SinceList): Promise<void> {
  const { id, path, parameter, time, row } = list;
  const from: Exchange[] = [];
  const readSince = async (since: string) => {
    const exchange = await probe.get(path, { [parameter]: since });
    from.push(exchange);
    return { exchange, ...(await probe.read([exchange], list.read)) };
  };
  const { result: future = [] } = await readSince(FUTURE);
  if (future.length > 0) {
    const { result: all } = await readSince(new Date(0).toISOString());
    if (all?.length === 0) {
      const explanation = `It lists what is older than ${parameter}, instead of what is newer.`;
      probe.answer(id, { verdict: 'fails', value: 'only older rows', explanation, from });
      return;
    }
    probe.ignores(path, parameter);
    const explanation = 'It lists what is older, too. Polling works, but reads everything every time.';
    probe.answer(id, { verdict: 'differs', value: `${parameter} is ignored`, explanation, from });
    return;
  }
  const open = (explanation: string) => probe.answer(id, { verdict: 'unknown', explanation, from });
  if (time === undefined) {
    open('The first row has no readable time.');
    return;
  }
  const { exchange, result, error } = await readSince(new Date(time - 1000).toISOString());
  if (result === undefined) {
    probe.repeat(exchange, { [parameter]: '*' });
    const value = `status ${exchange.status}`;
    probe.answer(id, { verdict: 'fails', value, explanation: probe.explain(error), from });
  } else if (result.includes(row)) probe.answer(id, { verdict: 'works', value: 'only newer rows', from });
  else
    open(
      'The first row is not listed with a time before its own. It may have changed meanwhile: run the probe again.',
    );
}
