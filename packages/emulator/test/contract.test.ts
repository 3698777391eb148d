import { EVENT_TYPES, SCOPES, type ErrorCode } from '@qr-service/core';
import { API_PATH, ERROR_CODES } from '@qr-service/core/connector';
import {
  checkDelivery,
  checkExchange,
  documentedCodes,
  OPERATIONS,
  type Operation,
} from './support/contract.ts';
import {
  codeInput,
  startService,
  type ApiRequest,
  type ApiResponse,
  type Service,
} from './support/service.ts';
import { startSubscribed } from './support/subscribed.ts';

// Every call of `startService` is checked against the contract. These tests cover every part of it.

type Call = (request?: ApiRequest) => Promise<ApiResponse>;

/** A request that the operation accepts. */
async function callOf({ method, path }: Operation, service: Service): Promise<Call> {
  const { id } = await service.createCode();
  const to = path.replace('{id}', id).replace('{workspaceId}', service.emulator.workspace.id);
  const bodies: Record<string, unknown> = {
    '/qr': codeInput('Door'),
    '/workspaces/{workspaceId}/qr': codeInput('Door'),
    '/qr/{id}/destination': { url: 'https://example.com/other' },
    '/webhooks': { url: 'https://hooks.example.com/in', eventTypes: EVENT_TYPES },
  };
  const body = method === 'POST' ? bodies[path] : undefined;
  return (request) => service.call(method, to, body === undefined ? request : { body, ...request });
}

test('the contract has the operations of the API text', () => {
  expect(OPERATIONS.length).toBeGreaterThanOrEqual(11);
});

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

    test('needs its scope and no other, and names it if it is missing', async () => {
      const service = await startService();
      const call = await callOf(operation, service);
      const { createKey } = service.emulator.control;
      const { scope } = operation;
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

test.each([
  ['{}', {}, "body must have required property 'id'"],
  ['{}', { 'Content-Type': 'text/html' }, 'the Content-Type is text/html'],
])('the check of these tests finds deviations: %s with %j', (body, changed, problem) => {
  const headers = new Headers({ 'Content-Type': 'application/json', ...changed });
  const url = `http://127.0.0.1${API_PATH}/qr/qr_1`;
  const exchange = {
    method: 'GET',
    url,
    requestBody: undefined,
    status: 200,
    headers,
    body: Buffer.from(body),
  };
  expect(() => checkExchange(exchange)).toThrow(problem);
  expect(() => checkExchange(exchange)).toThrow('header X-RateLimit-Reset is missing');
});
