import { BRAND } from '@qr-service/core/connector';
import type { Context } from 'hono';
import { html } from 'hono/html';
import { activeContradictions } from '../../config/wireShape.ts';
import type { EmulatorContext } from '../../control/context.ts';
import type { Env } from '../../http/env.ts';
import { NOTICES } from './notices.ts';
import { copyButton, secret, type Html } from './parts.ts';

/** The tabs, in order. */
export const TABS = [
  { path: '/', name: 'Requests' },
  { path: '/codes', name: 'Codes' },
  { path: '/subscriptions', name: 'Subscriptions' },
  { path: '/deliveries', name: 'Deliveries' },
  { path: '/scans', name: 'Scans' },
  { path: '/faults', name: 'Faults' },
  { path: '/keys', name: 'API keys' },
  { path: '/clock', name: 'Clock' },
] as const;

/** A tab's name. */
type TabName = (typeof TABS)[number]['name'];

/** Content of a page. */
interface PageContent {
  tab: TabName;
  /** Default: the tab's name. */
  title?: string;
  body: Html;
  status?: number;
}

/** Sends a page. */
export type SendPage = (c: Context<Env>, content: PageContent) => Response | Promise<Response>;

/** Renders a page's content in the layout that all pages share. */
export function pageSender({
  store,
  requests,
  requestFaults,
  deliveryFaults,
  wireShape,
  apiKey,
}: EmulatorContext): SendPage {
  const counts = (): Partial<Record<TabName, number>> => {
    const { codes, subscriptions, deliveries, scans } = store.counts.now();
    return {
      Requests: requests.count(),
      Codes: codes,
      Subscriptions: subscriptions,
      Deliveries: deliveries,
      Scans: scans,
      Faults:
        requestFaults.all().length +
        deliveryFaults.all().length +
        activeContradictions(wireShape.current()).length,
      'API keys': store.apiKeys.all().filter(({ revokedAt }) => revokedAt === null).length,
    };
  };

  return (c, { tab, title = tab, body, status = 200 }) => {
    const address = new URL(c.req.url).origin;
    const key = c.req.query('notice') ?? '';
    const notice = Object.hasOwn(NOTICES, key) ? NOTICES[key] : undefined;
    const numbers = counts();
    const page = html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>${title} – ${BRAND.name} emulator</title>
          <link rel="icon" href="/assets/icon.svg" />
          <link rel="stylesheet" href="/assets/inspector.css" />
          <script type="module" src="/assets/inspector.js"></script>
        </head>
        <body>
          <a class="skip" href="#main">Skip to content</a>
          <header>
            <div class="top">
              <p class="brand">
                <img src="/assets/icon.svg" alt="" width="28" height="28" />
                <span>${BRAND.name} <span class="quiet">emulator</span></span>
              </p>
              <ul class="about">
                <li><span class="quiet">URL</span> <code>${address}</code> ${copyButton(address, 'URL')}</li>
                <li><span class="quiet">Workspace</span> <code>${store.workspace.id}</code></li>
                <li>${secret('api-key', 'API key', apiKey)}</li>
              </ul>
              <p class="live" id="live" role="status" hidden></p>
            </div>
            <nav aria-label="Sections" id="tabs">
              <ul>
                ${TABS.map(
                  ({ path, name }) =>
                    html`<li>
                      <a href="${path}" ${name === tab ? html`aria-current="page"` : ''}
                        >${name} ${count(numbers[name])}</a
                      >
                    </li>`,
                )}
              </ul>
            </nav>
          </header>
          <main id="main" tabindex="-1" ${status === 200 ? '' : html`data-still`}>
            ${notice === undefined ? '' : html`<p class="notice" role="status">${notice}</p>`} ${body}
          </main>
          <p class="sr" id="announcer" aria-live="polite"></p>
        </body>
      </html>`;
    return c.html(page, status as 200);
  };
}

function count(number: number | undefined): Html | string {
  return number === undefined ? '' : html`<span class="count">${number.toLocaleString('en')}</span>`;
}
