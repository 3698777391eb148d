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
  /** Reads the rows of a page as texts. */
  read: (client: QrServiceClient) => Promise<string[]>;
  /** A row that the list must have from shortly before its time on, in milliseconds; undefined if it has none. */
  row: string;
  time: number | undefined;
}

/** Whether a list leaves out what is older than a time, and nothing else. */
export async function checkSince(probe: Probe, list: SinceList): Promise<void> {
  const { id, path, parameter, time, row } = list;
  const from: Exchange[] = [];
  const rowsSince = async (since: string) => {
    const exchange = await probe.get(path, { limit: 5, [parameter]: since });
    from.push(exchange);
    return (await probe.read([exchange], list.read)).result ?? [];
  };
  if ((await rowsSince(FUTURE)).length > 0) {
    probe.ignores(path, parameter);
    const explanation = 'It lists what is older, too. Polling works, but reads everything every time.';
    probe.answer(id, { verdict: 'differs', value: `${parameter} is ignored`, explanation, from });
  } else if (time === undefined)
    probe.answer(id, { verdict: 'unknown', explanation: 'The first row has no readable time.', from });
  else if ((await rowsSince(new Date(time - 1000).toISOString())).includes(row))
    probe.answer(id, { verdict: 'works', value: 'only newer rows', from });
  else {
    const explanation =
      'The first row is not listed with a time before its own. It may have changed meanwhile: run the probe again.';
    probe.answer(id, { verdict: 'unknown', explanation, from });
  }
}
