import { EVENT_TYPES, SCOPES, type ErrorCode } from '@qr-service/core';
import { ERROR_CODES } from '@qr-service/core/connector';
import {
  checkDelivery,
  documentedCodes,
  invalidQueries,
  requiredFields,
  type Operation,
  OPERATIONS,
} from './support/contract.ts';
import {
  type ApiRequest,
  type ApiResponse,
  codeInput,
  type Service,
  startService,
  startSubscribed,
} from './support/service.ts';

// Every call of `startService` is checked against the contract. These tests cover every part of it.

type Call = (request?: ApiRequest) => Promise<ApiResponse>;

/** The operation's path, for a code. */
const pathOf = ({ path }: Operation, { emulator }: Service, id: string) =>
  path.replace('{id}', id).replace('{workspaceId}', emulator.workspace.id);

/** A request that the operation accepts. */
async function callOf(operation: Operation, service: Service): Promise<Call> {
  const { method, path } = operation;
  const { id } = await service.createCode();
  const to = pathOf(operation, service, id);
  const bodies: Record<string, unknown> = {
    '/qr': codeInput('Door'),
    '/workspaces/{workspaceId}/qr': codeInput('Door'),
    '/qr/{id}/destination': { url: 'https://example.com/other' },
    '/webhooks': { url: 'https://hooks.example.com/in', eventTypes: EVENT_TYPES },
  };
  const body = method === 'POST' ? bodies[path] : undefined;
  return (request) => service.call(method, to, body === undefined ? request : { body, ...request });
}

describe.each(OPERATIONS.map((operation) => [operation.operationId, operation] as const))(
  '%s',
  (_id, operation) => {
    test('responds as the contract says, and returns each documented error on demand', async () => {
      const service = await startService();
      const call = await callOf(operation, service);
      expect((await call()).status).toBeLessThan(300);
      const codes = documentedCodes(operation) as ErrorCode[];
      expect(codes).toContain('rate_limited');
      for (const code of codes) {
        service.emulator.control.failNext({ code });
        expect(await call()).toMatchObject({ status: ERROR_CODES[code].status, json: { code } });
      }
      for (const status of [500, 502, 503]) {
        service.emulator.control.failNext({ status });
        expect((await call()).status).toBe(status);
      }
    });

    test('names what is wrong in a request that the contract rules out, and does nothing', async () => {
      const service = await startService();
      const { createCode, emulator } = service;
      const { id } = await createCode();
      const { method } = operation;
      const path = pathOf(operation, service, id);
      const before = [emulator.control.subscriptions(), (await service.call('GET', '/qr')).json];
      const fieldsOf = async (query: string, request?: ApiRequest) => {
        const { status, json } = await service.call(method, path + query, request);
        expect([status, json['code']]).toEqual([422, 'validation_failed']);
        const fields = Object.keys((json['details'] as { fields: object }).fields);
        for (const field of fields) expect(json['message']).toContain(field);
        return fields;
      };
      for (const { query, parameter } of invalidQueries(operation))
        expect([query, await fieldsOf(`?${query}`)]).toEqual([query, [parameter]]);
      const required = requiredFields(operation);
      if (required === undefined) return;
      for (const rawBody of ['', '{"name":', '[]']) expect(await fieldsOf('', { rawBody })).toEqual(['body']);
      const named = (await fieldsOf('', { body: {} })).map((field) => field.split('.')[0]);
      expect(named.toSorted()).toEqual(required.toSorted());
      expect([emulator.control.subscriptions(), (await service.call('GET', '/qr')).json]).toEqual(before);
    });

    if (operation.path.includes('{id}'))
      test('returns 404 not_found for an unknown ID', async () => {
        const service = await startService();
        const refused = await service.call(operation.method, pathOf(operation, service, 'none'));
        expect(refused).toMatchObject({ status: 404, json: { code: 'not_found' } });
      });

    test('needs its scope and no other, and names it if it is missing', async () => {
      const service = await startService();
      const call = await callOf(operation, service);
      const { createKey } = service.emulator.control;
      const { 'x-scope': scope } = operation;
      const { apiKey } = createKey({ scopes: scope === null ? [] : [scope] });
      expect((await call({ apiKey })).status).toBeLessThan(300);
      if (scope === null) return;
      const granted = SCOPES.filter((other) => other !== scope);
      const refused = await call({ apiKey: createKey({ scopes: granted }).apiKey });
      expect(refused.status).toBe(403);
      const details = { required: scope, granted };
      expect(refused.json).toMatchObject({ code: 'insufficient_scope', details });
      expect(refused.json['error']).toBe(refused.json['message']);
    });
  },
);

test('delivers every event as the contract says, with sample data and for real changes', async () => {
  const { call, createCode, emulator, receiver } = await startSubscribed();
  const { control } = emulator;
  for (const type of EVENT_TYPES) control.emit(type);
  await control.settled();
  const types = new Set(receiver.received.map(({ headers }) => headers['x-service-event']));
  expect([...types].toSorted()).toEqual([...EVENT_TYPES].toSorted());

  const { id } = await createCode();
  await call('POST', `/qr/${id}/publish`);
  await call('POST', `/qr/${id}/destination`, { body: { url: 'https://example.com/other' } });
  control.rename(id, 'Renamed');
  control.answerFeedback(id, 3);
  control.emit('approval.changed');
  control.emit('feedback.response_resolved');
  control.archive(id);
  control.delete(id);
  await control.settled();
  expect(receiver.received.length).toBeGreaterThan(EVENT_TYPES.length + 10);
  for (const delivery of receiver.received) checkDelivery(delivery);
});
