import { STATUS_CODES } from 'node:http';
import { API_PATH } from '@qr-service/core/connector';
import { html } from 'hono/html';
import type { EmulatorContext } from '../control/context.ts';
import type { IdempotencyOutcome, RecordedMessage, RequestEntry } from '../store/requestLog.ts';
import { createSection, SHOWN } from './section.ts';
import * as ui from './ui.ts';

/** What the outcome of an Idempotency-Key means, with its color. */
const OUTCOMES: Record<IdempotencyOutcome, [ui.Tone, string]> = {
  new: ['idle', 'First request with this key. It was processed, and its response is stored.'],
  replayed: ['busy', 'Same request as before. The stored response was returned.'],
  conflict: ['warn', 'This key was already used with different input.'],
  'in progress': ['warn', 'The first request with this key was still being processed.'],
};

/** `/requests`: the requests to the API and to short links. */
export function requestRoutes(context: EmulatorContext) {
  const { database } = context;
  return createSection<RequestEntry>(context, {
    name: 'Requests',
    latest: () => database.session.requests.slice(-SHOWN).toReversed(),
    find: (id) => database.session.requests.find(({ requestId }) => requestId === id),
    idOf: ({ requestId }) => requestId,
    row: (entry) => ({
      Request: html`<code><b>${entry.method}</b> ${entry.path.replace(API_PATH, '')}</code>`,
      Status: html`${statusBadge(entry.status)} ${entry.fault && ui.badge(entry.fault, 'warn')}
        <span class="quiet small">${entry.code ?? ''}</span>`,
      'Time (UTC)': ui.time(entry.at, 'hour'),
      Duration: `${entry.durationMs} ms`,
      Key: entry.keyName ?? 'none',
      Idempotency: entry.idempotency ? outcomeBadge(entry.idempotency.outcome) : '',
    }),
    detail: (entry) => ({
      heading: html`<code><b>${entry.method}</b> ${entry.path}</code>`,
      body: html`${factsOf(entry)} ${message('Request', entry.request)} ${message('Response', entry.response)}`,
    }),
    hint: (url) =>
      html`<p>No requests yet. Requests to the API and to short links appear here. Try one:</p>
        ${ui.codeBlock('Example request', `curl -H 'Authorization: Bearer <API key>' ${url}${API_PATH}/me`)}`,
  }).routes;
}

function factsOf({ status, idempotency, fault, ...entry }: RequestEntry): ui.Html {
  return ui.facts([
    ['Status', html`${statusBadge(status)} ${status === 0 ? 'connection cut' : STATUS_CODES[status]}`],
    ['Time', html`${ui.time(entry.at)} <span class="quiet">${entry.durationMs} ms</span>`],
    ['API key', entry.keyName ?? 'missing or unknown'],
    ['Request ID', html`<code>${entry.requestId}</code>`],
    ['Fault', fault === null ? 'none' : ui.badge(fault, 'warn')],
    ['Idempotency', idempotency === null ? 'no key' : outcome(idempotency)],
  ]);
}

function message(what: string, { headers, body }: RecordedMessage): ui.Html {
  return html`<h3>${what}</h3>
    ${Object.keys(headers).length === 0 ? '' : ui.headerBlock(`${what} headers`, headers)}
    ${
      body === null
        ? html`<p class="quiet">No body, or the body isn't text.</p>`
        : ui.codeBlock(`${what} body`, ui.prettyJson(body).replaceAll(/whsec_[\w-]+/g, 'whsec_••••'))
    }`;
}

function outcome({ key, outcome: name }: NonNullable<RequestEntry['idempotency']>): ui.Html {
  return html`${outcomeBadge(name)} <code>${key}</code>
    <span class="quiet small">${OUTCOMES[name][1]}</span>`;
}

function outcomeBadge(outcome: IdempotencyOutcome): ui.Html {
  return ui.badge(outcome, OUTCOMES[outcome][0]);
}

function statusBadge(status: number): ui.Html {
  if (status === 0) return ui.badge('cut', 'bad');
  if (status >= 500) return ui.badge(String(status), 'bad');
  if (status >= 400) return ui.badge(String(status), 'warn');
  return ui.badge(String(status), status >= 300 ? 'busy' : 'good');
}
