import { Hono } from 'hono';
import { html } from 'hono/html';
import type { WireShape } from '@qr-service/core/shape';
import { activeContradictions, FORMS, WIRE_POINTS, type WirePoint } from '../../config/wireShape.ts';
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
import { readSettingsForm, settingsForm } from './settingsForm.ts';
import { contradictionForm, wireShapeForm } from './wireShapeForm.ts';

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
        list: html`${activeFaults(
            requestFaults.all(),
            deliveryFaults.all(),
            activeContradictions(control.wireShape()),
          )}
          <div class="columns">${requestFaultForm()} ${deliveryFaultForm()} ${contradictionForm()}</div>
          ${wireShapeForm(control.wireShape())} ${settingsForm(control.settings())}`,
        listPath: '/faults',
      }),
    }),
  );

  const action = (path: string, notice: string, work: (field: Field, id: string) => void) =>
    routes.post(path, async (c) => {
      const field = await readForm(c);
      orPageError(422, () => work(field, c.req.param('id') ?? ''));
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
  action('/requests/:id/clear', 'cleared', (_field, id) => control.clearFaults(Number(id)));
  action('/deliveries/:id/clear', 'cleared', (_field, id) => control.clearDeliveryFaults(Number(id)));
  action('/settings', 'settings', (field) => control.changeSettings(readSettingsForm(field)));
  action('/contradictions', 'fault', (field) => {
    const [point = '', form = ''] = field('form').split('=', 2);
    control.setWireShape({ ...control.wireShape(), [point]: form });
  });
  action('/contradictions/:id/clear', 'cleared', (_field, point) => resetForms([point]));
  action('/clear', 'cleared', () => {
    control.clearFaults();
    control.clearDeliveryFaults();
    resetForms(activeContradictions(control.wireShape()).map(({ point }) => point));
  });
  action('/shape', 'shaped', (field) => control.setWireShape(readShape(field, control.wireShape())));
  action('/shape/defaults', 'shaped', () => control.setWireShape({}));
  return routes;

  function resetForms(points: readonly string[]): void {
    const kept = Object.entries(control.wireShape()).filter(([point]) => !points.includes(point));
    control.setWireShape(Object.fromEntries(kept));
  }
}

function readTimes(field: Field): number {
  return field('times') === '' ? Infinity : Number(field('times'));
}

/** Reads a wire shape from a form, which sends each choice as text. Points that it doesn't have stay as they are. */
function readShape(field: Field, current: Required<WireShape>): WireShape {
  const points = WIRE_POINTS.map((point: WirePoint) => {
    const all: readonly (string | number)[] = [...FORMS[point], current[point]];
    const chosen = field(point);
    if (chosen === '') return [point, current[point]];
    return [point, all.find((choice) => String(choice) === chosen) ?? chosen];
  });
  return Object.fromEntries(points) as WireShape;
}
