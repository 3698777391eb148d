import { html } from 'hono/html';
import type { Html } from './parts.ts';

/** A list with the details of one row beside it. On a phone, the details replace the list. */
export interface Panes {
  heading: string;
  /** Shown beside the heading. */
  tools?: Html | string;
  list: Html;
  /** Filters above the list. */
  filter?: Html;
  /** Path of the first page of the list, if this is another one. */
  newest?: string | undefined;
  /** Path of the next page of the list. */
  older?: string | undefined;
  detail?: { heading: Html | string; body: Html } | undefined;
  /** Path of the list without details. */
  listPath: string;
}

/** The two panes. */
export function panes({ heading, tools = '', filter, list, newest, older, detail, listPath }: Panes): Html {
  return html`<div class="panes ${detail === undefined ? '' : 'open'}">
    <section class="list" aria-labelledby="list-heading">
      <div class="heading">
        <h1 id="list-heading">${heading}</h1>
        ${tools}
      </div>
      ${filter ?? ''}
      <div id="list">${list}</div>
      ${
        older === undefined && newest === undefined
          ? ''
          : html`<p class="older">
              ${newest === undefined ? '' : html`<a class="button" href="${newest}">Newest</a>`}
              ${older === undefined ? '' : html`<a class="button" href="${older}">Older</a>`}
            </p>`
      }
    </section>
    ${
      detail === undefined
        ? ''
        : html`<section class="detail" id="detail" aria-labelledby="detail-heading">
            <p class="back"><a href="${listPath}">← ${heading}</a></p>
            <h2 id="detail-heading" tabindex="-1">${detail.heading}</h2>
            ${detail.body}
          </section>`
    }
  </div>`;
}
