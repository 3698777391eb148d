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
    if (page === undefined) {
      probe.answer('lists.visibility', {
        verdict: 'unknown',
        explanation: probe.explain(error),
        from: [exchange],
      });
      return;
    }
    const elapsed = exchange.sentAt - created.receivedAt;
    if (page.rows.some(({ id }) => id === code.id)) {
      if (missingMs !== undefined && isInBounds('visibleAfterMs', elapsed))
        probe.shape.visibleAfterMs = elapsed;
      probe.answer('lists.visibility', {
        verdict: 'works',
        value: missingMs === undefined ? 'at once' : `${missingMs} to ${elapsed} ms`,
        from: [created, exchange],
      });
      return;
    }
    if (page.nextCursor !== undefined) {
      probe.answer('lists.visibility', {
        verdict: 'unknown',
        explanation:
          'The new code is not on the first page of those that changed since. Run the probe again while fewer codes change.',
        from: [exchange],
      });
      return;
    }
    missingMs = elapsed;
    if (elapsed > MAX_VISIBLE_MS) {
      probe.answer('lists.visibility', {
        verdict: 'unknown',
        value: `more than ${MAX_VISIBLE_MS / 1000} s`,
        explanation: `The new code was not listed within that time.${cachedFor(exchange)} Polling triggers read five minutes back, so they miss codes that show later than that.`,
        from: [created, exchange],
      });
      return;
    }
    await probe.connection.sleep(POLLS_MS[poll] ?? 500);
  }
}
