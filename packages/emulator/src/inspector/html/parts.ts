import { html } from 'hono/html';
import { isDeep } from '../../validation/isDeep.ts';

/** Escaped HTML. */
export type Html = ReturnType<typeof html>;

/** Color of a status. The text carries the same meaning. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'idle';

/** A status in a word or two. */
export function badge(text: string, tone: Tone): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
}

/** A time of day in UTC. @param ms milliseconds since the epoch */
export function time(ms: number): Html {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}" title="${iso}">${iso.slice(11, 23)}</time>`;
}

/** A date and time in UTC. @param ms milliseconds since the epoch */
export function dateTime(ms: number): Html {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 23)}</time>`;
}

/** Names and values. */
export function definitionList(rows: readonly (readonly [name: string, value: Html | string])[]): Html {
  return html`<dl class="facts">
    ${rows.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** Monospaced text to read or copy. Scrolls separately, also with the keyboard. */
export function codeBlock(label: string, text: string): Html {
  return html`<div class="code">
    <pre tabindex="0" role="region" aria-label="${label}">${text}</pre>
    ${copyButton(text, label)}
  </div>`;
}

/** Headers of a message. */
export function headerList(label: string, headers: Readonly<Record<string, string>>): Html {
  const text = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
  return codeBlock(label, text);
}

/** A button that copies text. Visible only with JavaScript. */
export function copyButton(text: string, what: string): Html {
  return html`<button type="button" class="copy" data-copy="${text}" aria-label="Copy: ${what}">
    Copy
  </button>`;
}

/** A secret that is hidden until a click. @param id id of the element */
export function secret(id: string, label: string, value: string): Html {
  return html`<details class="secret" id="${id}">
    <summary>Show ${label}</summary>
    <code>${value}</code> ${copyButton(value, label)}
  </details>`;
}

/** A new secret, which isn't shown again. @param label what it is */
export function shownOnce(label: string, value: string, sentence: string): Html {
  return html`<div class="notice once" role="status">
    <p>${sentence}</p>
    <p><code id="new-secret">${value}</code> ${copyButton(value, label)}</p>
  </div>`;
}

/** A button in its own form. */
export function action(path: string, label: string, style = ''): Html {
  return html`<form method="post" action="${path}"><button class="${style}">${label}</button></form>`;
}

/** A button that asks for confirmation without JavaScript. For actions that can't be undone. */
export function confirmedAction(path: string, label: string, question: string, id: string): Html {
  return html`<details class="confirm" id="${id}">
    <summary class="button danger">${label}…</summary>
    <form method="post" action="${path}">
      <p>${question}</p>
      <button class="danger solid">${label}</button>
    </form>
  </details>`;
}

/** A record in a list of blocks. */
export interface Block {
  id: string;
  title: Html;
  facts: Parameters<typeof definitionList>[0];
  /** Buttons, and what else the record offers. */
  actions?: Html | undefined;
}

/** Records with their facts, each in a block. */
export function blockList(blocks: readonly Block[]): Html {
  return html`<ul class="blocks">
    ${blocks.map(
      ({ id, title, facts, actions }) =>
        html`<li class="panel" id="row-${id}">
          <h2 class="break">${title}</h2>
          ${definitionList(facts)} ${actions === undefined ? '' : html`<div class="actions">${actions}</div>`}
        </li>`,
    )}
  </ul>`;
}

/** Which of all names are chosen. */
export function chips(chosen: readonly string[], all: readonly string[]): Html | string {
  if (chosen.length === all.length) return `all ${all.length}`;
  return html`${chosen.map((name) => html`<code class="chip">${name}</code> `)}`;
}

/** Placeholder for an empty list. */
export function emptyState(text: string, hint: Html | string = ''): Html {
  return html`<div class="empty">
    <p>${text}</p>
    ${hint}
  </div>`;
}

/** Indented JSON. Returns other text, and JSON that is nested too deeply, unchanged. */
export function prettyJson(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return isDeep(value) ? text : JSON.stringify(value, null, 2);
  } catch {
    return text;
  }
}

/** Redacts the signing secrets in a text. */
export function redactSecrets(text: string): string {
  return text.replaceAll(/whsec_[\w-]+/g, 'whsec_••••');
}
