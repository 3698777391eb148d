import { Hono } from 'hono';
import { html } from 'hono/html';
import { WIRE_CHOICES, type WireShape } from '../../config/wireShape.ts';
import type { EmulatorContext } from '../../control/context.ts';
import type { Control } from '../../control/control.ts';
import type { DeliveryFaultKind } from '../../faults/deliveryFaults.ts';
import type { FaultPreset } from '../../faults/requestFaultPresets.ts';
import type { Env } from '../../http/env.ts';
import type { SendPage } from '../html/page.ts';
import { panes } from '../html/panes.ts';
import { orPageError, readForm, redirectWithNotice } from '../routing/form.ts';
import { activeFaults } from './activeFaults.ts';
import { deliveryFaultForm, requestFaultForm } from './faultForms.ts';
import { wireShapeForm } from './wireShapeForm.ts';

type Field = (name: string) => string;

/** `/faults`: adds and clears faults and changes the wire shape. */
export function faultRoutes(context: EmulatorContext, control: Control, send: SendPage): Hono<Env> {
  const { requestFaults, deliveryFaults } = context;
  const routes = new Hono<Env>();
  routes.get('/', (c) =>
    send(c, {
      tab: 'Faults',
      body: panes({
        heading: 'Faults',
        list: html`${activeFaults(requestFaults.all(), deliveryFaults.all())}
          <div class="columns">${requestFaultForm()} ${deliveryFaultForm()}</div>
          ${wireShapeForm(control.wireShape())}`,
        listPath: '/faults',
      }),
    }),
  );

  const action = (path: string, notice: string, work: (field: Field, id: number) => void) =>
    routes.post(path, async (c) => {
      const field = await readForm(c);
      orPageError(422, () => work(field, Number(c.req.param('id'))));
      return redirectWithNotice(c, '/faults', notice);
    });

  action('/requests', 'fault', (field) => {
    const [method, path] = [field('method'), field('path')];
    const match = { ...(method === '' ? {} : { method }), ...(path === '' ? {} : { path }) };
    control.failNext({
      preset: field('preset') as FaultPreset,
      ...(Object.keys(match).length === 0 ? {} : { match }),
      times: readTimes(field),
    });
  });
  action('/deliveries', 'fault', (field) =>
    control.failDeliveries({ kind: field('kind') as DeliveryFaultKind, times: readTimes(field) }),
  );
  action('/requests/:id/clear', 'cleared', (_field, id) => control.clearFaults(id));
  action('/deliveries/:id/clear', 'cleared', (_field, id) => control.clearDeliveryFaults(id));
  action('/clear', 'cleared', () => {
    control.clearFaults();
    control.clearDeliveryFaults();
  });
  action('/shape', 'shaped', (field) => control.setWireShape(readShape(field)));
  action('/shape/defaults', 'shaped', () => control.setWireShape({}));
  return routes;
}

function readTimes(field: Field): number {
  return field('times') === '' ? Infinity : Number(field('times'));
}

/** Reads a wire shape from a form, which sends each choice as text. */
function readShape(field: Field): WireShape {
  const points = Object.entries(WIRE_CHOICES).map(([point, choices]) => {
    const all: readonly (string | number)[] = choices;
    return [point, all.find((choice) => String(choice) === field(point)) ?? field(point)];
  });
  return Object.fromEntries(points) as WireShape;
}
