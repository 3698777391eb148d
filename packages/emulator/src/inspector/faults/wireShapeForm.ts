import { html } from 'hono/html';
import { WIRE_CHOICES, type WireShape } from '../../config/wireShape.ts';
import type { Html } from '../html/parts.ts';

/** The form that changes the wire shape. */
export function wireShapeForm(shape: Required<WireShape>): Html {
  return html`<section class="panel" aria-labelledby="wire-shape">
    <h2 id="wire-shape">Wire shape</h2>
    <p class="quiet">
      Form of the responses where the API text leaves it open. The first choice is the default.
    </p>
    <form method="post" action="/faults/shape" class="points">
      ${Object.entries(WIRE_CHOICES).map(([point, choices]) =>
        select(point, choices, shape[point as keyof WireShape]),
      )}
      <div class="actions">
        <button class="solid">Update wire shape</button>
        <button formaction="/faults/shape/defaults">Reset to defaults</button>
      </div>
    </form>
  </section>`;
}

function select(point: string, choices: readonly (string | number)[], chosen: string | number): Html {
  return html`<p>
    <label for="shape-${point}">${point}</label>
    <select id="shape-${point}" name="${point}">
      ${choices.map(
        (value) => html`<option value="${value}" ${value === chosen ? html`selected` : ''}>${value}</option>`,
      )}
    </select>
  </p>`;
}
