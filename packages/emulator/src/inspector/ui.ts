import { html } from 'hono/html';

/** Escaped HTML. */
export type Html = ReturnType<typeof html>;

/** Color of a status. The text carries the same meaning. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'idle';

/** A status in a word or two. */
export function badge(text: string, tone: Tone): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
}

/** A date and time in UTC; in lists only the time of day. @param ms milliseconds since the epoch */
export function time(ms: number, from: 'date' | 'hour' = 'date'): Html {
  const iso = new Date(ms).toISOString().replace('T', ' ').slice(0, -1);
  return html`<time title="${iso}">${from === 'date' ? iso : iso.slice(11)}</time>`;
}

/** Names and values. */
export function facts(rows: readonly (readonly [name: string, value: Html | string])[]): Html {
  return html`<dl class="facts">
    ${rows.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

/** Monospaced text to read or copy. Scrolls separately, also with the keyboard. */
export function codeBlock(label: string, text: string): Html {
  return html`<div class="code">
    <pre tabindex="0" role="region" aria-label="${label}">${text}</pre>
    ${copyButton(label, text)}
  </div>`;
}

/** Headers of a message. */
export function headerBlock(label: string, headers: Readonly<Record<string, string>>): Html {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return codeBlock(label, lines.join('\n'));
}

/** A button that copies text. Visible only with JavaScript. */
export function copyButton(label: string, text: string): Html {
  return html`<button class="copy" data-copy="${text}" aria-label="Copy: ${label}">Copy</button>`;
}

/** A secret that is hidden until a click. @param id id of the element */
export function secret(id: string, label: string, value: string): Html {
  return html`<details class="secret" id="${id}">
    <summary class="button">Show ${label}</summary>
    <code>${value}</code> ${copyButton(label, value)}
  </details>`;
}

/** A button in its own form. */
export function action(path: string, label: string, style = ''): Html {
  return html`<form method="post" action="${path}"><button class="${style}">${label}</button></form>`;
}

/** The button `Delete`, which asks for confirmation. */
export function deleteAction(path: string, consequence: string): Html {
  return html`<details id="delete">
    <summary class="button bad">Delete…</summary>
    <p>${consequence}</p>
    ${action(path, 'Delete permanently', 'bad')}
  </details>`;
}

/** A required text field with its label. @param attributes further attributes of the input */
export function textField(id: string, label: string, attributes: Html): Html {
  return html`<label for="${id}">${label}</label>
    <input id="${id}" name="${id}" required autocomplete="off" ${attributes} />`;
}

/** Indented JSON; other text as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
