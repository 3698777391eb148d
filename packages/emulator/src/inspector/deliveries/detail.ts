import { EVENTS } from '@qr-service/core/connector';
import type { EventType } from '@qr-service/core';
import { html } from 'hono/html';
import type { Attempt } from '../../store/records.ts';
import type { Delivery } from '../../store/records.ts';
import type { Panes } from '../html/panes.ts';
import {
  action,
  badge,
  codeBlock,
  definitionList,
  headerList,
  prettyJson,
  time,
  type Html,
} from '../html/parts.ts';
import { attemptResult, deliveryBadge } from './list.ts';
import { signatureSteps } from './signatureSteps.ts';

/** A delivery with its context. */
interface DeliveryView {
  delivery: Delivery;
  attempts: readonly Attempt[];
  /** The attempt whose headers are shown. */
  chosen: Attempt | undefined;
  /** Path of this page with another attempt selected. */
  attemptPath: (number: number) => string;
  /** Signing secret of its subscription. */
  secret: string;
  /** Whether its subscription still exists. */
  canRedeliver: boolean;
  /** Milliseconds since the epoch. */
  now: number;
}

/** All details of a delivery. */
export function deliveryDetail(view: DeliveryView): NonNullable<Panes['detail']> {
  const { delivery, attempts, chosen, secret, now } = view;
  const { id, eventType, url, nextAttemptAt, status } = delivery;
  const body = chosen?.sentBody ?? delivery.body;
  return {
    heading: eventType,
    body: html`<p class="quiet">${(EVENTS as Partial<typeof EVENTS>)[eventType as EventType]?.label}</p>
      ${definitionList([
        ['Status', deliveryBadge({ status, attempts }, now, nextAttemptAt)],
        ['Receiver', html`<span class="break">${url}</span>`],
        ['Delivery ID', html`<code>${id}</code>`],
        ['Event ID', html`<code>${delivery.eventId}</code>`],
      ])}
      ${sendButtons(view)}
      <h3>Attempts</h3>
      ${attemptList(view)}
      ${
        chosen === undefined
          ? ''
          : html`<h3>Signature of attempt ${chosen.number}, step by step</h3>
              ${signatureSteps({ headers: chosen.headers, body, secret, sentAt: chosen.startedAt }, now)}
              <h3>Headers of attempt ${chosen.number}</h3>
              ${headerList('Headers', chosen.headers)}`
      }
      <h3>Body</h3>
      ${codeBlock('Body', prettyJson(body))}`,
  };
}

function sendButtons({ delivery: { id }, canRedeliver }: DeliveryView): Html {
  if (!canRedeliver)
    return html`<p class="quiet">The subscription was deleted, so this can't be redelivered.</p>`;
  return html`<div class="actions">
    ${action(`/deliveries/${id}/replay`, 'Redeliver')}
    ${action(`/deliveries/${id}/resend`, 'Redeliver with a new delivery ID')}
  </div>`;
}

function attemptList({ attempts, chosen, attemptPath }: DeliveryView): Html {
  if (attempts.length === 0) return html`<p class="quiet">None yet.</p>`;
  return html`<ol class="attempts">
    ${attempts.map((attempt) => {
      const { number, startedAt, durationMs, fault } = attempt;
      return html`<li id="attempt-${number}" class="${attempt === chosen ? 'current' : ''}">
        <a href="${attemptPath(number)}" ${attempt === chosen ? html`aria-current="true"` : ''}
          >Attempt ${number}</a
        >
        ${attemptResult(attempt)} ${time(startedAt)}
        <span class="quiet">${durationMs} ms</span> ${fault === null ? '' : badge(fault, 'warn')}
      </li>`;
    })}
  </ol>`;
}
