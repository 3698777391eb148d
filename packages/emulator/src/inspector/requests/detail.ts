import { STATUS_CODES } from 'node:http';
import { html } from 'hono/html';
import type { RecordedMessage, RequestEntry } from '../../control/requestLog.ts';
import type { IdempotencyOutcome } from '../../domain/idempotency.ts';
import {
  badge,
  codeBlock,
  dateTime,
  definitionList,
  headerList,
  prettyJson,
  redactSecrets,
  type Html,
} from '../html/parts.ts';
import { outcomeBadge, statusBadge } from './list.ts';

const OUTCOMES: Record<IdempotencyOutcome, string> = {
  new: 'The first request with this key. Its work was done and its response stored.',
  replayed: 'The same request as before. Its first response was returned again, and nothing else was done.',
  conflict: 'The key was used before with different input.',
  'in progress': 'The first request with this key was still in progress.',
};

/** Everything about a request. */
export function requestDetail(entry: RequestEntry): { heading: Html; body: Html } {
  const { method, path, status, idempotency, fault } = entry;
  return {
    heading: html`<span class="method">${method}</span> <span class="path">${path}</span>`,
    body: html`${definitionList([
      [
        'Status',
        html`${statusBadge(status)} ${status === 0 ? 'the connection was cut' : STATUS_CODES[status]}`,
      ],
      ['Time', dateTime(entry.at)],
      ['Duration', `${entry.durationMs} ms`],
      ['API key', entry.keyName ?? 'missing or unknown'],
      ['Request id', html`<code>${entry.requestId}</code>`],
      ...(idempotency === null
        ? []
        : [
            [
              'Idempotency',
              html`${outcomeBadge(idempotency.outcome)} <code>${idempotency.key}</code><br /><span
                  class="quiet"
                  >${OUTCOMES[idempotency.outcome]}</span
                >`,
            ] as const,
          ]),
      ...(fault === null ? [] : [['Fault', badge(fault, 'warn')] as const]),
    ])}
    ${message('Request', entry.request)} ${message('Response', entry.response)}`,
  };
}

function message(what: string, { headers, body }: RecordedMessage): Html {
  return html`<h3>${what}</h3>
    ${Object.keys(headers).length === 0 ? '' : headerList(`${what} headers`, headers)}
    ${
      body === null
        ? html`<p class="quiet">No body, or not text.</p>`
        : codeBlock(`${what} body`, redactSecrets(prettyJson(body)))
    }`;
}
