import { EVENTS } from '@qr-service/core/connector';
import { EVENT_TYPES, type EventType } from '@qr-service/core';
import { html } from 'hono/html';
import type { Panes } from '../html/panes.ts';

/** The form that sends an event. @param problem the problem with the data, as a sentence */
export function sendForm(type: EventType, data: string, problem?: string): NonNullable<Panes['detail']> {
  const { description, dataDocumented } = EVENTS[type];
  return {
    heading: 'Send an event',
    body: html`<nav aria-label="Events">
        <ul class="chips">
          ${EVENT_TYPES.map(
            (known) =>
              html`<li>
                <a
                  class="chip"
                  href="/deliveries/send?type=${known}"
                  ${known === type ? html`aria-current="true"` : ''}
                  >${known}</a
                >
              </li>`,
          )}
        </ul>
      </nav>
      <p>${description}</p>
      <form method="post" action="/deliveries/send" class="send">
        <input type="hidden" name="type" value="${type}" />
        ${problem === undefined ? '' : html`<p class="notice bad" role="alert" id="data-problem">${problem}</p>`}
        <p>
          <label for="data">Data for <code>${type}</code></label>
          <textarea
            id="data"
            name="data"
            rows="16"
            spellcheck="false"
            aria-describedby="data-hint ${problem === undefined ? '' : 'data-problem'}"
          >
${data}</textarea>
        </p>
        <p class="quiet" id="data-hint">
          ${
            dataDocumented
              ? 'This sample follows the API text.'
              : "The API text doesn't document this event's data; this sample is based on similar events."
          }
          The emulator adds the envelope.
        </p>
        <p><button class="solid">Send to all subscriptions</button></p>
      </form>`,
  };
}
