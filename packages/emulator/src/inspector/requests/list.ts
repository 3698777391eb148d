import { API_PATH } from '@qr-service/core/connector';
import { html } from 'hono/html';
import type { RequestEntry } from '../../control/requestLog.ts';
import type { IdempotencyOutcome } from '../../domain/idempotency.ts';
import { badge, codeBlock, emptyState, time, type Html, type Tone } from '../html/parts.ts';
import { rowLink, table } from '../html/table.ts';

/** Placeholder before the first request. @param address of the emulator */
export function noRequests(address: string): Html {
  return emptyState(
    'No requests yet. Requests to the API and to short links appear here.',
    codeBlock('Example request', `curl -H 'Authorization: Bearer <API key>' ${address}${API_PATH}/me`),
  );
}

/** Placeholder for a page of requests that newer ones have pushed out of the log. @param newest path of the first page */
export function noOlderRequests(newest: string): Html {
  return emptyState(
    'These requests are no longer in the log, which keeps the latest 500.',
    html`<p><a class="button" href="${newest}">Newest requests</a></p>`,
  );
}

/** Requests, one per row. @param pathOf returns the path of a request's details */
export function requestList(
  requests: readonly RequestEntry[],
  pathOf: (id: string) => string,
  openId: string | undefined,
): Html {
  const columns = [
    { name: 'Time', wide: true },
    { name: 'Request' },
    { name: 'Status' },
    { name: 'Duration', wide: true, number: true },
    { name: 'Key', wide: true },
    { name: 'Idempotency', wide: true },
    { name: 'Fault', wide: true },
  ];
  const rows = requests.map((entry) => {
    const isOpen = entry.requestId === openId;
    const { method, idempotency } = entry;
    return {
      id: entry.requestId,
      isOpen,
      cells: [
        time(entry.at),
        rowLink(
          pathOf(entry.requestId),
          isOpen,
          html`<span class="method">${method}</span> <span class="path">${shortPath(entry.path)}</span>`,
        ),
        html`${statusBadge(entry.status)} <span class="quiet small break">${entry.code ?? ''}</span>`,
        `${entry.durationMs} ms`,
        entry.keyName ?? html`<span class="quiet">none</span>`,
        idempotency === null ? '' : outcomeBadge(idempotency.outcome),
        entry.fault === null ? '' : badge(entry.fault, 'warn'),
      ],
    };
  });
  return table('Requests, newest first', columns, rows);
}

/** A status with its color. */
export function statusBadge(status: number): Html {
  if (status === 0) return badge('cut', 'bad');
  return badge(String(status), statusTone(status));
}

/** The outcome of an Idempotency-Key, with its color. */
export function outcomeBadge(outcome: IdempotencyOutcome): Html {
  const tones: Record<IdempotencyOutcome, Tone> = {
    new: 'idle',
    replayed: 'busy',
    conflict: 'warn',
    'in progress': 'warn',
  };
  return badge(outcome, tones[outcome]);
}

function statusTone(status: number): Tone {
  if (status >= 500) return 'bad';
  if (status >= 400) return 'warn';
  return status >= 300 ? 'busy' : 'good';
}

/** A path without the API's prefix. */
function shortPath(path: string): string {
  return path.startsWith(`${API_PATH}/`) ? path.slice(API_PATH.length) : path;
}
