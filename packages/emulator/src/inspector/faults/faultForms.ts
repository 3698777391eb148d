import { html } from 'hono/html';
import { DELIVERY_FAULTS } from '../../faults/deliveryFaults.ts';
import { FAULT_PRESETS } from '../../faults/requestFaultPresets.ts';
import type { Html } from '../html/parts.ts';

/** The form that adds request faults. */
export function requestFaultForm(): Html {
  const presets = Object.entries(FAULT_PRESETS).map(
    ([name, { description }]) => [name, description] as const,
  );
  return html`<section class="panel" aria-labelledby="request-faults">
    <h2 id="request-faults">Requests</h2>
    <form method="post" action="/faults/requests" class="stack">
      ${choice('preset', 'Fault', presets)}
      <p>
        <label for="method">Method</label>
        <select id="method" name="method">
          <option value="">any</option>
          ${['GET', 'POST', 'DELETE'].map((method) => html`<option>${method}</option>`)}
        </select>
      </p>
      <p>
        <label for="path">Path <span class="quiet">(leave empty for all)</span></label>
        <input id="path" name="path" placeholder="/qr/*" autocomplete="off" />
      </p>
      ${times('request')}
      <p><button class="solid">Add request fault</button></p>
    </form>
  </section>`;
}

/** The form that adds delivery faults. */
export function deliveryFaultForm(): Html {
  return html`<section class="panel" aria-labelledby="delivery-faults">
    <h2 id="delivery-faults">Deliveries</h2>
    <form method="post" action="/faults/deliveries" class="stack">
      ${choice('kind', 'Fault', Object.entries(DELIVERY_FAULTS))} ${times('delivery')}
      <p><button class="solid">Add delivery fault</button></p>
    </form>
  </section>`;
}

/** A choice between faults, each with its description. */
export function choice(name: string, label: string, options: readonly (readonly [string, string])[]): Html {
  return html`<p>
    <label for="${name}">${label}</label>
    <select id="${name}" name="${name}">
      ${options.map(([value, description]) => html`<option value="${value}">${value}: ${description}</option>`)}
    </select>
  </p>`;
}

function times(what: string): Html {
  return html`<p>
    <label for="${what}-times">Times <span class="quiet">(leave empty to keep until cleared)</span></label>
    <input id="${what}-times" name="times" type="number" min="1" value="1" />
  </p>`;
}
