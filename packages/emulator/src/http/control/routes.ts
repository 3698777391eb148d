import { EVENT_TYPES, type EventType } from '@qr-service/core';
import { CONTRADICTIONS } from '@qr-service/core/shape';
import { FORMS, WIRE_POINTS } from '../../config/wireShape.ts';
import type { Control } from '../../control/control.ts';
import { KEY_FIELDS } from '../../config/readKey.ts';
import { SETTINGS_FIELDS } from '../../config/readOptions.ts';
import { isChoiceOf } from '../../config/readWireShape.ts';
import { DELIVERY_FAULTS, type DeliveryFault } from '../../faults/deliveryFaults.ts';
import { FAULT_PRESETS } from '../../faults/requestFaultPresets.ts';
import { InputError, type Fields } from '../../validation/checkObject.ts';
import { isBoolean, isDateTime, isInteger, isObject, isOneOf, isText } from '../../validation/checks.ts';
import { DELIVERY_FAULT_FIELDS, FAULT_FIELDS, withInfiniteTimes, activeFaultJson } from './faultInput.ts';

/** Input of a route. */
export interface ControlRequest {
  /** From the path. */
  id: string;
  /** Already checked. */
  body: Record<string, unknown>;
  /** Query parameters, unchecked. */
  query?: Readonly<Record<string, string>>;
}

/** One route of the control API. */
export interface ControlRoute {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Under `/_emulator`. */
  path: string;
  /** What it does, in a few words. Part of the response to `GET /_emulator`. */
  does: string;
  /** Fields of the JSON body. Default: none. */
  body?: Fields;
  /** Returns the JSON of the response, or undefined for 204. */
  run: (control: Control, request: ControlRequest) => unknown;
}

const MAX_TIMEOUT_MS = 10 * 60 * 1000;
const MAX_CLOCK_MOVE_MS = 100 * 365 * 24 * 60 * 60 * 1000;

const describe = (table: Readonly<Record<string, { description: string } | string>>) =>
  Object.entries(table).map(([name, facts]) => ({
    name,
    description: typeof facts === 'string' ? facts : facts.description,
  }));

/** A route that acts on the record in its path and responds with 204. */
const action = (path: string, does: string, run: (control: Control, id: string) => void): ControlRoute => ({
  method: 'POST',
  path,
  does,
  run: (control, { id }) => run(control, id),
});

/** The routes that clear all faults of a kind, or one of them. */
const clearing = (
  path: string,
  kind: string,
  clear: (control: Control, id?: number) => void,
): ControlRoute[] => [
  {
    method: 'DELETE',
    path,
    does: `clears all ${kind} faults`,
    run: (control) => clear(control),
  },
  {
    method: 'DELETE',
    path: `${path}/:id`,
    does: `clears one ${kind} fault`,
    run: (control, { id }) => clear(control, Number(id)),
  },
];

/** Everything that `control` can do, over HTTP. */
export const CONTROL_ROUTES: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/requests',
    does: 'lists the latest requests and the total number',
    run: (control) => ({ requests: control.requests(), count: control.requestCount() }),
  },
  {
    method: 'GET',
    path: '/subscriptions',
    does: 'lists webhook subscriptions with their secrets',
    run: (control) => ({ subscriptions: control.subscriptions() }),
  },
  {
    method: 'GET',
    path: '/deliveries',
    does: 'lists deliveries with every attempt, oldest first',
    run: (control) => ({ deliveries: control.deliveries() }),
  },
  {
    method: 'POST',
    path: '/deliveries/:id/redeliver',
    does: 'redelivers a delivery: { newDeliveryId? }',
    body: { optional: { newDeliveryId: isBoolean } },
    run: (control, { id, body }) => ({ id: control.redeliver(id, body) }),
  },
  {
    method: 'GET',
    path: '/settled',
    does: 'responds once no delivery is pending, or after ?timeoutMs= with those that are',
    run: async (control, { query }) => {
      const waitingFor = await control.settled(readTimeout(query?.['timeoutMs']));
      return waitingFor.length === 0 ? { settled: true } : { settled: false, waitingFor };
    },
  },
  {
    method: 'POST',
    path: '/events',
    does: 'emits an event: { type, data? }, with invented data by default',
    body: { required: { type: isOneOf(EVENT_TYPES) }, optional: { data: isObject } },
    run(control, { body }) {
      const type = body['type'] as EventType;
      const event = control.emit(type, body['data'] as Record<string, unknown> | undefined);
      const interested = control.subscriptions().filter(({ eventTypes }) => eventTypes.includes(type));
      return { ...event, subscriptions: interested.length };
    },
  },
  {
    method: 'POST',
    path: '/keys',
    does: 'creates a key: { name?, scopes?, expiresAt?, allowedAddresses?, apiKey? }',
    body: KEY_FIELDS,
    run: (control, { body }) => control.createKey(body),
  },
  {
    method: 'DELETE',
    path: '/keys/:id',
    does: 'revokes a key',
    run: (control, { id }) => control.revokeKey(id),
  },
  {
    method: 'PATCH',
    path: '/codes/:id',
    does: 'renames a code: { name }',
    body: { required: { name: isText(200) } },
    run: (control, { id, body }) => control.rename(id, body['name'] as string),
  },
  action('/codes/:id/archive', 'archives a code', (control, id) => control.archive(id)),
  action('/codes/:id/unarchive', 'unarchives a code', (control, id) => control.unarchive(id)),
  action('/codes/:id/approve', 'approves a code', (control, id) => control.approve(id)),
  action('/codes/:id/reject', 'rejects a code', (control, id) => control.reject(id)),
  {
    method: 'DELETE',
    path: '/codes/:id',
    does: 'deletes a code permanently',
    run: (control, { id }) => control.delete(id),
  },
  {
    method: 'POST',
    path: '/codes/:id/feedback',
    does: "submits a code's feedback form: { score }",
    body: { required: { score: isInteger(0, 10) } },
    run: (control, { id, body }) => ({ id: control.answerFeedback(id, body['score'] as number) }),
  },
  action('/feedback/:id/resolve', 'marks a feedback response as resolved', (control, id) =>
    control.resolveFeedback(id),
  ),
  {
    method: 'GET',
    path: '/faults',
    does: 'lists active request faults, all presets and the forms that contradict the API text',
    run: (control) => ({
      faults: control.faults().map(activeFaultJson),
      presets: describe(FAULT_PRESETS),
      contradictions: CONTRADICTIONS,
    }),
  },
  {
    method: 'POST',
    path: '/faults',
    does: 'adds a request fault: { preset?, match?, times?, … }; times: null until cleared',
    body: FAULT_FIELDS,
    run: (control, { body }) => ({ id: control.failNext(withInfiniteTimes(body)) }),
  },
  ...clearing('/faults', 'request', (control, id) => control.clearFaults(id)),
  {
    method: 'GET',
    path: '/delivery-faults',
    does: 'lists active delivery faults and all kinds',
    run: (control) => ({
      faults: control.deliveryFaults().map(activeFaultJson),
      kinds: describe(DELIVERY_FAULTS),
    }),
  },
  {
    method: 'POST',
    path: '/delivery-faults',
    does: 'adds a delivery fault: { kind, times? }; times: null until cleared',
    body: DELIVERY_FAULT_FIELDS,
    run: (control, { body }) => ({
      id: control.failDeliveries(withInfiniteTimes(body) as unknown as DeliveryFault),
    }),
  },
  ...clearing('/delivery-faults', 'delivery', (control, id) => control.clearDeliveryFaults(id)),
  {
    method: 'GET',
    path: '/wire-shape',
    does: 'returns the wire shape and all choices',
    run: (control) => ({ wireShape: control.wireShape(), choices: FORMS }),
  },
  {
    method: 'PUT',
    path: '/wire-shape',
    does: 'replaces the wire shape: { listKey?, reset?, … }',
    body: { optional: Object.fromEntries(WIRE_POINTS.map((point) => [point, isChoiceOf(point)])) },
    run(control, { body }) {
      control.setWireShape(body);
      return { wireShape: control.wireShape() };
    },
  },
  {
    method: 'GET',
    path: '/settings',
    does: 'returns the scan dimensions, low-score notices and the delay of lists',
    run: (control) => ({ settings: control.settings() }),
  },
  {
    method: 'PATCH',
    path: '/settings',
    does: 'changes settings: { allowedDimensions?, lowScoreNotices?, visibleAfterMs? }',
    body: SETTINGS_FIELDS,
    run(control, { body }) {
      control.changeSettings(body);
      return { settings: control.settings() };
    },
  },
  { method: 'GET', path: '/clock', does: "returns the emulator's time", run: clockJson },
  {
    method: 'POST',
    path: '/clock',
    does: 'moves the clock: { advanceMs } or { set }, an ISO 8601 time or milliseconds',
    body: { optional: { advanceMs: isInteger(-MAX_CLOCK_MOVE_MS, MAX_CLOCK_MOVE_MS), set: isDateTime } },
    run(control, { body: { advanceMs, set } }) {
      if ((advanceMs === undefined) === (set === undefined))
        throw new InputError('', 'must have either advanceMs or set');
      if (set === undefined) control.clock.advance(advanceMs as number);
      else control.clock.set(set as string | number);
      return clockJson(control);
    },
  },
  {
    method: 'POST',
    path: '/snapshots',
    does: 'saves the whole state and returns the snapshot ID',
    run: (control) => control.snapshot(),
  },
  action('/snapshots/:id/restore', 'restores a snapshot', (control, id) => control.restore({ id })),
  action('/reset', 'restores the initial state', (control) => control.reset()),
];

/** @throws InputError unless it is a whole number of milliseconds */
function readTimeout(text: string | undefined): { timeoutMs?: number } {
  if (text === undefined) return {};
  const timeoutMs = text === '' ? NaN : Number(text);
  const problem = isInteger(0, MAX_TIMEOUT_MS)(timeoutMs);
  if (problem !== undefined) throw new InputError('timeoutMs', problem);
  return { timeoutMs };
}

function clockJson({ clock }: Control): { now: string } {
  return { now: new Date(clock.now()).toISOString() };
}
