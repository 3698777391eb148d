import { BRAND } from '@qr-service/core/connector';
import { Hono, type Context } from 'hono';
import { html } from 'hono/html';
import { HTTPException } from 'hono/http-exception';
import { shownKey } from '../config/options.ts';
import type { EmulatorContext } from '../control/context.ts';
import type { Env } from '../http/env.ts';
import { InputError, RecordNotFoundError } from '../validation/input.ts';
import { PROTECTION } from './protect.ts';
import { copyButton, secret, type Html } from './ui.ts';

/** How many rows a list shows. */
export const SHOWN = 200;

/** Notices shown after an action. The URL holds only the key, so nobody can inject text. */
const NOTICES = new Map([
  ['created', 'Created.'],
  ['publish', 'Published. The short link is live.'],
  ['archive', 'Archived. The short link now returns 410 Gone.'],
  ['unarchive', 'Unarchived. Publish the code to make its short link work again.'],
  ['retarget', 'Destination updated. Printed codes now point there.'],
  ['rename', 'Renamed.'],
  ['delete', 'Deleted permanently.'],
  ['redeliver', 'Queued for redelivery.'],
  ['sent', 'Event sent.'],
  ['unheard', 'Event emitted, but no subscription includes it.'],
]);

/** The details of a record, or a form, beside the list. */
export interface Detail {
  heading: Html | string;
  body: Html;
}

/** A page: a list, with the details of one record beside it. On a phone, the details replace the list. */
interface Section<Item> {
  name: 'Requests' | 'Codes' | 'Subscriptions' | 'Deliveries';
  /** The latest records, newest first. */
  latest: () => readonly Item[];
  find: (id: string) => Item | undefined;
  idOf: (item: Item) => string;
  /** A cell per column. The first one links to the details. */
  row: (item: Item) => Record<string, Html | string>;
  detail: (item: Item) => Detail;
  /** What to do when there are no records yet. @param url base URL of the emulator */
  hint: (url: string) => Html | string;
  /** The form that `/new` shows, and the button that leads there. */
  create?: { label: string; form: (c: Context<Env>) => Detail };
}

/** The routes that show a section, what sends its page, and what finds the record of a path. */
export function createSection<Item>(context: EmulatorContext, section: Section<Item>) {
  const { name, latest, idOf, detail, hint, create } = section;
  const home = `/${name.toLowerCase()}`;
  const routes = new Hono<Env>();

  /** @throws RecordNotFoundError */
  function find(c: Context<Env>): Item {
    const item = section.find(c.req.param('id') ?? '');
    if (item === undefined) throw new RecordNotFoundError('Not found. It may have been deleted.');
    return item;
  }

  /** Sends the page. With another status than 200, it isn't updated. */
  function show(c: Context<Env>, shown?: Detail, status = 200) {
    const items = latest();
    const url = new URL(c.req.url).origin;
    const notice = NOTICES.get(c.req.query('notice') ?? '');
    const main = html`<main id="main" tabindex="-1" ${status === 200 ? '' : html`data-still`}>
      ${notice && html`<p class="notice good" role="status">${notice}</p>`}
      <div class="panes">
        <section class="list" aria-labelledby="list-heading">
          <div class="heading">
            <h1 id="list-heading">${name}</h1>
            ${create && html`<a class="button solid" href="${home}/new">${create.label}</a>`}
          </div>
          ${items.length === 0 ? html`<div class="empty">${hint(url)}</div>` : list(items, c.req.path)}
          <p class="quiet small">${items.length < SHOWN ? '' : `These are the latest ${SHOWN}.`}</p>
        </section>
        ${
          shown &&
          html`<section class="detail" id="detail" aria-labelledby="detail-heading">
            <p class="back"><a href="${home}">← ${name}</a></p>
            <h2 id="detail-heading" tabindex="-1">${shown.heading}</h2>
            ${shown.body}
          </section>`
        }
      </div>
    </main>`;
    return c.html(layout(context, name, url, main), status as 200);
  }

  function list(items: readonly Item[], path: string): Html {
    const rows = items.map((item) => [idOf(item), Object.entries(section.row(item))] as const);
    const columns = rows[0]?.[1].map(([column]) => html`<th scope="col">${column}</th>`);
    return html`<table>
      <caption class="sr">
        ${name}, newest first
      </caption>
      <thead>
        <tr>
          ${columns}
        </tr>
      </thead>
      <tbody>
        ${rows.map(([id, cells]) => {
          const current = path === `${home}/${id}` ? html`aria-current="true"` : '';
          return html`<tr id="row-${id}" ${current}>
            ${cells.map(
              ([, cell], index) =>
                html`<td>${index === 0 ? html`<a href="${home}/${id}" ${current}>${cell}</a>` : cell}</td>`,
            )}
          </tr>`;
        })}
      </tbody>
    </table>`;
  }

  routes.use(...PROTECTION);
  routes.get('/', (c) => show(c));
  if (create) routes.get('/new', (c) => show(c, create.form(c)));
  routes.get('/:id', (c) => show(c, detail(find(c))));
  routes.onError((error, c) => {
    const [status, message] = problemOf(error);
    if (status === 500) context.log(`internal error: ${error.stack ?? error.message}`);
    const body = html`<p class="notice bad" role="alert">${message}</p>`;
    return show(c, { heading: "That didn't work", body }, status);
  });
  return { routes, show, find };
}

/** The status and text of an error. */
function problemOf(error: Error): [status: number, message: string] {
  if (error instanceof InputError) return [422, error.message];
  if (error instanceof RecordNotFoundError) return [404, error.message];
  if (error instanceof HTTPException) return [error.status, 'This form was submitted from another site.'];
  return [500, 'Internal error of the emulator. See its log.'];
}

/** Reads a field of a submitted form; empty if it is missing. */
export type ReadField = (name: string) => string;

/** Reads a submitted form. */
export async function readForm(c: Context<Env>): Promise<ReadField> {
  const form = await c.req.parseBody();
  return (name) => {
    const value = form[name];
    return typeof value === 'string' ? value.trim() : '';
  };
}

/** The layout that all pages share. */
function layout({ store, database, apiKey }: EmulatorContext, name: string, url: string, main: Html): Html {
  const { codes, subscriptions, deliveries } = store.counts();
  const tabs = {
    Requests: database.session.requestCount,
    Codes: codes,
    Subscriptions: subscriptions,
    Deliveries: deliveries,
  };
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${name} – ${BRAND.name} emulator</title>
        <link rel="icon" href="/assets/icon.svg" />
        <link rel="stylesheet" href="/assets/inspector.css" />
        <script defer src="/assets/idiomorph.js"></script>
        <script type="module" src="/assets/inspector.js"></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header>
          <div class="top">
            <img src="/assets/icon.svg" alt="" width="28" height="28" />
            <p class="brand">${BRAND.name} <span class="quiet">emulator</span></p>
            <p class="small"><span class="quiet">URL</span> <code>${url}</code> ${copyButton('URL', url)}</p>
            ${secret('api-key', 'API key', shownKey(apiKey))}
            <p id="live" role="status"></p>
          </div>
          <nav id="tabs" aria-label="Pages">
            ${Object.entries(tabs).map(
              ([tab, count]) =>
                html`<a href="/${tab.toLowerCase()}" ${tab === name ? html`aria-current="page"` : ''}
                  >${tab} <span class="count">${count.toLocaleString('en')}</span></a
                >`,
            )}
          </nav>
        </header>
        ${main}
      </body>
    </html>`;
}
