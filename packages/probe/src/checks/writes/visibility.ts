import type { QrCode } from '@qr-service/core';
import { readTime } from '@qr-service/core/connector';
import { isInBounds } from '@qr-service/core/shape';
import type { Exchange } from '../../http/Exchange.ts';
import { cachedFor } from '../lists/pages.ts';
import type { Probe } from '../Probe.ts';

/** How long the probe waits until a new code is listed. */
const MAX_VISIBLE_MS = 20_000;
/** How far before a new code's `updatedAt` the probe lists codes. */
const SINCE_MARGIN_MS = 10_000;
/** The first waits of the poll for a new code. */
const POLLS_MS = [100, 200, 300, 400, 500];

/** Polls the list until it contains the new code. */
export async function checkVisibility(probe: Probe, code: QrCode, created: Exchange): Promise<void> {
  const time = readTime(code.updatedAt);
  const since = new Date((time ?? probe.now()) - SINCE_MARGIN_MS).toISOString();
  let missingMs: number | undefined;
  for (let poll = 0; ; poll++) {
    const exchange = await probe.get('/qr', { limit: 50, updatedSince: since });
    const { result: page, error } = await probe.read([exchange], (client) =>
      client.qr.listPage({ limit: 50 }),
    );
    const open = (explanation: string, value?: string) =>
      probe.answer('lists.visibility', { verdict: 'unknown', value, explanation, from: [created, exchange] });
    const elapsed = exchange.sentAt - created.receivedAt;
    if (page === undefined) open(probe.explain(error));
    else if (page.rows.some(({ id }) => id === code.id)) {
      if (missingMs !== undefined && isInBounds('visibleAfterMs', elapsed))
        probe.shape.visibleAfterMs = elapsed;
      const value = missingMs === undefined ? 'at once' : `${missingMs} to ${elapsed} ms`;
      probe.answer('lists.visibility', { verdict: 'works', value, from: [created, exchange] });
    } else if (page.nextCursor !== undefined)
      open(
        'The new code is not on the first page of those that changed since. Run the probe again while fewer codes change.',
      );
    else if (elapsed > MAX_VISIBLE_MS)
      open(
        `The new code was not listed within that time.${cachedFor(exchange)} Polling triggers read five minutes back, so they miss codes that show later than that.`,
        `more than ${MAX_VISIBLE_MS / 1000} s`,
      );
    else {
      missingMs = elapsed;
      await probe.connection.sleep(POLLS_MS[poll] ?? 500);
      continue;
    }
    return;
  }
}
