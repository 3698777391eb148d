import { Hono } from 'hono';
import { html } from 'hono/html';
import { DIMENSIONS } from '../config/scanDimensions.ts';
import type { EmulatorContext } from '../control/context.ts';
import type { Env } from '../http/env.ts';
import type { QrRecord } from '../store/records.ts';
import type { Scan } from '../store/records.ts';
import { startOf } from '../store/codes.ts';
import type { SendPage } from './html/page.ts';
import { panes } from './html/panes.ts';
import { dateTime, emptyState, type Html } from './html/parts.ts';
import { table } from './html/table.ts';
import { readBefore } from './routing/paging.ts';

const PAGE_SIZE = 100;
/** How many of the latest codes are searched for published ones, and how many of those are shown. */
const CODES_CONSIDERED = 50;
const CODES_OFFERED = 6;

/** `/scans`: visits to short links. */
export function scanRoutes({ store, summarize }: EmulatorContext, send: SendPage): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get('/', (c) => {
    const found = store.scans.latest(readBefore(c), PAGE_SIZE + 1);
    const scans = found.slice(0, PAGE_SIZE);
    const last = scans.at(-1);
    const latest = store.qrCodes.walk('descending', {
      ...startOf('descending', 0, store.qrCodes.snapshot()),
      count: CODES_CONSIDERED,
    });
    const published = latest.filter(({ status }) => status === 'published').slice(0, CODES_OFFERED);
    return send(c, {
      tab: 'Scans',
      body: panes({
        heading: 'Scans',
        tools: html`<p class="quiet">Newest first, times in UTC</p>`,
        list: html`${shortLinks(published, (code) => summarize(code).publicUrl)}
        ${list(scans, (id) => store.qrCodes.find(id))}`,
        newest: c.req.query('before') === undefined ? undefined : '/scans',
        older: found.length > PAGE_SIZE && last !== undefined ? `/scans?before=${last.seq}` : undefined,
        listPath: '/scans',
      }),
    });
  });
  return routes;
}

/** Short links to open. Each visit is a scan. */
function shortLinks(codes: readonly QrRecord[], link: (code: QrRecord) => string): Html | string {
  if (codes.length === 0) return '';
  return html`<div class="opener">
    <p class="quiet" id="open-hint">Open a short link in a new tab to record a scan.</p>
    <ul class="actions" aria-labelledby="open-hint">
      ${codes.map(
        (code) =>
          html`<li id="open-${code.id}">
            <a class="button clip" href="${link(code)}" target="_blank" rel="noopener noreferrer"
              >${code.name} ↗</a
            >
          </li>`,
      )}
    </ul>
  </div>`;
}

function list(scans: readonly Scan[], codeOf: (id: string) => QrRecord | undefined): Html {
  if (scans.length === 0)
    return emptyState(
      'No scans yet. Every visit to the short link of a published code counts as a scan, except bots.',
    );
  const columns = [
    { name: 'Time' },
    { name: 'Code' },
    ...DIMENSIONS.map((dimension) => ({
      name: dimension.slice(0, 1).toUpperCase() + dimension.slice(1),
      wide: dimension !== 'device',
    })),
  ];
  const rows = scans.map(({ id, qrId, scannedAt, visit }) => {
    const code = codeOf(qrId);
    return {
      id,
      cells: [
        dateTime(scannedAt),
        code === undefined ? html`<code>${qrId}</code>` : html`<a href="/codes/${qrId}">${code.name}</a>`,
        ...DIMENSIONS.map((dimension) => visit[dimension] ?? html`<span class="quiet">unknown</span>`),
      ],
    };
  });
  return table('Scans, newest first', columns, rows);
}
