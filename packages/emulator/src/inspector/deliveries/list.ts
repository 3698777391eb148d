import { html } from 'hono/html';
import type { Attempt } from '../../store/records.ts';
import type { Delivery } from '../../store/records.ts';
import { badge, emptyState, time, type Html, type Tone } from '../html/parts.ts';
import { rowLink, table } from '../html/table.ts';

const TONES: Record<Delivery['status'], Tone> = {
  pending: 'busy',
  sending: 'busy',
  delivered: 'good',
  failed: 'bad',
  canceled: 'idle',
};

/** The status of a delivery. */
export function deliveryBadge({ status, attempts }: Listed, now: number, dueAt: number): Html {
  if (status === 'pending' && attempts.length > 0)
    return badge(dueAt > now ? `retry in ${seconds(dueAt - now)}` : 'retry due', 'warn');
  return badge(status, TONES[status]);
}

type Listed = Pick<Delivery, 'status'> & { attempts: readonly Attempt[] };

/** Deliveries, one per row. @param pathOf returns the path of a delivery's details */
export function deliveryList(
  deliveries: readonly (Delivery & { attempts: readonly Attempt[] })[],
  pathOf: (id: string) => string,
  openId: string | undefined,
  now: number,
): Html {
  if (deliveries.length === 0)
    return emptyState(
      'No deliveries yet. Each event is sent to every subscription that includes it.',
      html`<p><a class="button" href="/subscriptions">View subscriptions</a></p>`,
    );
  const columns = [
    { name: 'Event' },
    { name: 'Status' },
    { name: 'Response', wide: true },
    { name: 'Attempts', wide: true, number: true },
    { name: 'Receiver', wide: true },
    { name: 'Latest attempt', wide: true },
  ];
  const rows = deliveries.map((delivery) => {
    const { id, eventType, url, attempts, nextAttemptAt } = delivery;
    const last = attempts.at(-1);
    const isOpen = id === openId;
    return {
      id,
      isOpen,
      cells: [
        html`${rowLink(pathOf(id), isOpen, eventType)} <span class="quiet small break">${id}</span>`,
        deliveryBadge(delivery, now, nextAttemptAt),
        last === undefined ? '' : attemptResult(last),
        String(attempts.length),
        html`<span class="break">${url.replace(/^https:\/\//, '')}</span>`,
        last === undefined ? '' : time(last.startedAt),
      ],
    };
  });
  return table('Deliveries, newest first', columns, rows);
}

/** The receiver's response to an attempt, or why there was none. */
export function attemptResult({ status, error }: Attempt): Html {
  if (status === null) return badge(error ?? 'no response', 'bad');
  return badge(String(status), status >= 200 && status < 300 ? 'good' : 'bad');
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}
