import { html } from 'hono/html';
import type { activeContradictions } from '../../config/wireShape.ts';
import type { DeliveryFault } from '../../faults/deliveryFaults.ts';
import type { SetFault } from '../../faults/faultList.ts';
import { describeFault, type Fault } from '../../faults/requestFaults.ts';
import { action, badge, emptyState, type Html } from '../html/parts.ts';
import { table, type Row } from '../html/table.ts';

/** The active faults, with how many times each still applies. */
export function activeFaults(
  requests: readonly SetFault<Fault>[],
  deliveries: readonly SetFault<DeliveryFault>[],
  contradictions: ReturnType<typeof activeContradictions>,
): Html {
  if (requests.length + deliveries.length + contradictions.length === 0)
    return emptyState('No active faults. Every response and delivery is as documented.');
  const rows = [
    ...requests.map(({ id, fault, left }) => row('requests', id, describeFault(fault), target(fault), left)),
    ...contradictions.map(({ point, form, description }) =>
      row('contradictions', point, `${point}=${form}`, description, Infinity),
    ),
    ...deliveries.map(({ id, fault, left }) => row('deliveries', id, fault.kind, 'deliveries', left)),
  ];
  const columns = [
    { name: 'Fault' },
    { name: 'Applies to', wide: true },
    { name: 'Remaining' },
    { name: 'Clear' },
  ];
  return html`${table('Active faults, in the order in which they apply', columns, rows)}
    <div class="actions">${action('/faults/clear', 'Clear all')}</div>`;
}

function row(kind: string, id: number | string, name: string, what: string, left: number): Row {
  const clear = html`<form method="post" action="/faults/${kind}/${id}/clear">
    <button aria-label="Clear: ${name}">Clear</button>
  </form>`;
  const times = left === Infinity ? 'until cleared' : `${left} ×`;
  return { id: `${kind}-${id}`, cells: [badge(name, 'warn'), what, times, clear] };
}

function target({ match }: Fault): string {
  if (match === undefined) return 'every request';
  const { method = 'any', path = 'every path', query } = match;
  return `${method} ${path}${query === undefined ? '' : ` with ?${query}`}`;
}
