import { html } from 'hono/html';
import type { Html } from './parts.ts';

/** A form behind a button, which creates something. @param problem what is wrong with it; it is then shown at once */
export function createPanel(label: string, path: string, problem: string | undefined, fields: Html): Html {
  return html`<details class="create" id="create" ${problem === undefined ? '' : html`open`}>
    <summary class="button solid">${label}</summary>
    <form method="post" action="${path}" class="panel">
      ${problemNotice(problem)} ${fields}
      <p><button class="solid">Create</button></p>
    </form>
  </details>`;
}

/** What is wrong with a form, as a sentence. */
export function problemNotice(problem: string | undefined): Html | string {
  return problem === undefined ? '' : html`<p class="notice bad" role="alert">${problem}</p>`;
}

/** A group of check boxes that share a name. */
export function checkboxes(
  name: string,
  legend: string,
  values: readonly string[],
  checked: readonly string[],
): Html {
  return html`<fieldset class="checks">
    <legend>${legend}</legend>
    ${values.map(
      (value) =>
        html`<p class="check">
          <input
            id="${name}-${value}"
            name="${name}"
            type="checkbox"
            value="${value}"
            ${checked.includes(value) ? html`checked` : ''}
          />
          <label for="${name}-${value}">${value}</label>
        </p>`,
    )}
  </fieldset>`;
}
