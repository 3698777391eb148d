import { Hono, type Context } from 'hono';
import { html } from 'hono/html';
import type { EmulatorContext } from '../../control/context.ts';
import type { RequestEntry } from '../../control/requestLog.ts';
import type { Env } from '../../http/env.ts';
import { filterBar, noMatches } from '../html/filterBar.ts';
import type { SendPage } from '../html/page.ts';
import { panes } from '../html/panes.ts';
import { matchesText, pathWith, readFilters, type Filters } from '../routing/filters.ts';
import { PageError } from '../routing/PageError.ts';
import { detailPath } from '../routing/paging.ts';
import { requestDetail } from './detail.ts';
import { noOlderRequests, noRequests, requestList } from './list.ts';

const PAGE_SIZE = 100;
const FILTERS = [
  { name: 'method', label: 'Method', choices: ['GET', 'POST', 'DELETE'] },
  { name: 'status', label: 'Status', choices: ['2xx', '3xx', '4xx', '5xx', 'cut'] },
];

/** `GET /` and `GET /requests/{id}`. */
export function requestRoutes({ requests }: EmulatorContext, send: SendPage): Hono<Env> {
  function show(c: Context<Env>, id?: string) {
    const recent = requests.recent().toReversed();
    const open = id === undefined ? undefined : recent.find(({ requestId }) => requestId === id);
    if (id !== undefined && open === undefined)
      throw new PageError(404, 'Request not found. The log keeps the latest 500 requests.');
    const filters = readFilters(c, ['q', 'method', 'status']);
    const before = c.req.query('before');
    const found = pageOf(recent, before).filter((entry) => matches(entry, filters));
    const shown = found.slice(0, PAGE_SIZE);
    const pathOf = (requestId: string) => detailPath(c, `/requests/${requestId}`, {}, filters);
    return send(c, {
      tab: 'Requests',
      body: panes({
        heading: 'Requests',
        tools: html`<p class="quiet">Newest first, times in UTC</p>`,
        filter: filterBar('/', 'path, error code, key or body', FILTERS, filters),
        list:
          recent.length === 0
            ? noRequests(new URL(c.req.url).origin)
            : shown.length === 0
              ? before === undefined
                ? noMatches('requests', '/')
                : noOlderRequests(pathWith('/', filters))
              : requestList(shown, pathOf, id),
        newest: before === undefined ? undefined : pathWith('/', filters),
        older:
          found.length > PAGE_SIZE
            ? pathWith('/', { ...filters, before: shown.at(-1)?.requestId })
            : undefined,
        detail: open === undefined ? undefined : requestDetail(open),
        listPath: pathWith('/', { ...filters, before }),
      }),
    });
  }

  const routes = new Hono<Env>();
  routes.get('/', (c) => show(c));
  routes.get('/requests/:id', (c) => show(c, c.req.param('id')));
  return routes;
}

/** The requests before the one with this ID, newest first: none, if the log no longer has it. */
function pageOf(recent: readonly RequestEntry[], before: string | undefined): readonly RequestEntry[] {
  if (before === undefined) return recent;
  const place = recent.findIndex(({ requestId }) => requestId === before);
  return place === -1 ? [] : recent.slice(place + 1);
}

function matches(entry: RequestEntry, { q, method, status }: Filters): boolean {
  const { path, requestId, keyName, code, idempotency, fault, request, response } = entry;
  if (method !== undefined && method.toUpperCase() !== entry.method) return false;
  if (status !== undefined && !matchesStatus(entry.status, status)) return false;
  const texts = [path, requestId, keyName, code, idempotency?.key, fault, request.body, response.body];
  return matchesText(q, texts);
}

/** @param wanted a status, its class such as `4xx`, or `cut` for a connection that was cut */
function matchesStatus(status: number, wanted: string): boolean {
  if (wanted === 'cut') return status === 0;
  return wanted === String(status) || wanted === `${String(status)[0]}xx`;
}
