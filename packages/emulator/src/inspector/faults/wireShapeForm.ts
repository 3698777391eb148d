import { html } from 'hono/html';
import { CONTRADICTIONS, type WireShape } from '@qr-service/core/shape';
import { OPEN_FORMS, type WirePoint } from '../../config/wireShape.ts';
import type { Html } from '../html/parts.ts';
import { choice } from './faultForms.ts';

/** The form that changes the wire shape. */
export function wireShapeForm(shape: Required<WireShape>): Html {
  return html`<section class="panel" aria-labelledby="wire-shape">
    <h2 id="wire-shape">Wire shape</h2>
    <p class="quiet">
      Form of the responses where the API text leaves it open. The first choice is the default.
    </p>
    <form method="post" action="/faults/shape" class="points">
      ${Object.entries(OPEN_FORMS).map(([point, forms]) => select(point, forms, shape[point as WirePoint]))}
      <div class="actions">
        <button class="solid">Update wire shape</button>
        <button formaction="/faults/shape/defaults">Reset to defaults</button>
      </div>
    </form>
  </section>`;
}

/** The form that sets a form which contradicts the API text. */
export function contradictionForm(): Html {
  const options = CONTRADICTIONS.flatMap(({ point, forms, description }) =>
    forms.map((form) => [`${point}=${form}`, description] as const),
  );
  return html`<section class="panel" aria-labelledby="contradictions">
    <h2 id="contradictions">Contradictory responses</h2>
    <p class="quiet">These contradict the API text, but services and proxies send them anyway.</p>
    <form method="post" action="/faults/contradictions" class="stack">
      ${choice('form', 'Response', options)}
      <p><button class="solid">Set until cleared</button></p>
    </form>
  </section>`;
}

function select(point: string, open: readonly (string | number)[], chosen: string | number): Html {
  // A form that isn't open, or a name of the service's own, stays until another one is chosen.
  const choices = open.includes(chosen) ? open : [...open, chosen];
  return html`<p>
    <label for="shape-${point}">${point}</label>
    <select id="shape-${point}" name="${point}">
      ${choices.map(
        (value) => html`<option value="${value}" ${value === chosen ? html`selected` : ''}>${value}</option>`,
      )}
    </select>
  </p>`;
}
