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
  new: 'First request with this key. It was processed, and its response is stored.',
  replayed: 'Same request as before. The stored response was returned, and nothing was processed again.',
  conflict: 'This key was already used with different input.',
  'in progress': 'The first request with this key was still being processed.',
};

/** All details of a request. */
export function requestDetail(entry: RequestEntry): { heading: Html; body: Html } {
  const { method, path, status, idempotency, fault } = entry;
  return {
    heading: html`<span class="method">${method}</span> <span class="path">${path}</span>`,
    body: html`${definitionList([
      ['Status', html`${statusBadge(status)} ${status === 0 ? 'connection cut' : STATUS_CODES[status]}`],
      ['Time', dateTime(entry.at)],
      ['Duration', `${entry.durationMs} ms`],
      ['API key', entry.keyName ?? 'missing or unknown'],
      ['Request ID', html`<code>${entry.requestId}</code>`],
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
        ? html`<p class="quiet">No body, or the body isn't text.</p>`
        : codeBlock(`${what} body`, redactSecrets(prettyJson(body)))
    }`;
}
