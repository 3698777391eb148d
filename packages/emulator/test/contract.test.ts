import { API_PATH, ERROR_CODES } from '@qr-service/core/connector';
import { EVENT_TYPES, type ErrorCode } from '@qr-service/core';
import {
  checkDelivery,
  checkExchange,
  documentedCodes,
  OPERATIONS,
  type Exchange,
  type Operation,
} from './support/contract.ts';
import { stopReceivers } from './support/receiver.ts';
import { codeInput, startService, stopServices, type ApiResponse, type Service } from './support/service.ts';
import { holdSlowRequests } from './support/slowRequests.ts';
import { startSubscribed } from './support/subscribed.ts';
import { until } from '../../../test/support/jest/until.ts';

// Every call of `startService` is checked against the contract. These tests cover every part of it.

afterEach(async () => {
  await stopServices();
  await stopReceivers();
});

const HOOK = { url: 'https://hooks.example.com/in', eventTypes: EVENT_TYPES };
const named = OPERATIONS.map((operation) => [operation.operationId, operation] as const);

/** A request that the operation accepts. */
async function callOf({ method, path }: Operation, service: Service): Promise<() => Promise<ApiResponse>> {
  const { id } = await service.createCode();
  const to = path.replace('{id}', id).replace('{workspaceId}', service.emulator.workspace.id);
  const bodies: Record<string, unknown> = {
    '/qr': codeInput('Door'),
    '/workspaces/{workspaceId}/qr': codeInput('Door'),
    '/qr/{id}/destination': { url: 'https://example.com/other' },
    '/webhooks': HOOK,
  };
  const body = method === 'POST' ? bodies[path] : undefined;
  return () => service.call(method, to, body === undefined ? {} : { body });
}

test('finds the operations of the contract', () => {
  expect(OPERATIONS.length).toBeGreaterThanOrEqual(11);
});

test.each(named)('responds to %s as the contract says', async (_id, operation) => {
  const call = await callOf(operation, await startService());
  expect((await call()).status).toBeLessThan(300);
});

test.each(named)('returns every documented error of %s on demand', async (_id, operation) => {
  const service = await startService();
  const call = await callOf(operation, service);
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

test.each(['png', 'svg', 'pdf'])('returns a %s image with a content type of the contract', async (format) => {
  const { call, createCode } = await startService();
  const { id } = await createCode();
  expect((await call('GET', `/qr/${id}/image?format=${format}&size=64`)).status).toBe(200);
});

/** How to cause an error without a fault. */
const CAUSES: Partial<Record<ErrorCode, (service: Service) => Promise<ApiResponse>>> = {
  invalid_api_key: ({ call }) => call('GET', '/me', { apiKey: 'qrs_nobody' }),
  insufficient_scope: ({ call, emulator }) =>
    call('GET', '/qr', { apiKey: emulator.control.createKey({ scopes: ['exports:read'] }).apiKey }),
  ip_not_allowed: ({ call, emulator }) =>
    call('GET', '/me', { apiKey: emulator.control.createKey({ allowedAddresses: ['203.0.113.7'] }).apiKey }),
  workspace_mismatch: ({ call }) => call('GET', '/workspaces/ws_other/qr'),
  not_found: ({ call }) => call('GET', '/qr/qr_none'),
  async idempotency_conflict({ call }) {
    const headers = { 'Idempotency-Key': 'one' };
    await call('POST', '/qr', { headers, body: codeInput('One') });
    return call('POST', '/qr', { headers, body: codeInput('Two') });
  },
  async idempotency_in_progress({ call, emulator }) {
    const slow = holdSlowRequests();
    emulator.control.failNext({ delayMs: 300 });
    const ask = () => call('POST', '/qr', { headers: { 'Idempotency-Key': 'one' }, body: codeInput('One') });
    const first = ask();
    await until(() => slow.delays.length > 0);
    const second = await ask();
    slow.release();
    await first;
    return second;
  },
  validation_failed: ({ call }) => call('POST', '/qr', { body: {} }),
  invalid_cursor: ({ call }) => call('GET', '/qr?cursor=x'),
  async rate_limited({ call }) {
    for (let nth = 0; nth < 5; nth++) await call('GET', '/me');
    return call('GET', '/me');
  },
};

/** The API text doesn't say what causes these, so they need a fault. */
const WITHOUT_CAUSE = ['quota_exceeded', 'approval_required', 'contrast_check_failed'];

test.each(Object.keys(ERROR_CODES) as ErrorCode[])('returns %s for its documented cause', async (code) => {
  const cause = CAUSES[code];
  if (cause === undefined) {
    expect(WITHOUT_CAUSE).toContain(code);
    return;
  }
  const service = await startService({ rateLimit: { limit: 5, windowSeconds: 60 } });
  expect(await cause(service)).toMatchObject({ status: ERROR_CODES[code].status, json: { code } });
});

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

describe('the contract check', () => {
  const QR = {
    id: 'qr_1',
    name: 'Door',
    slug: 'door-abc',
    mode: 'dynamic',
    contentType: 'url',
    status: 'draft',
    approvalState: 'not_required',
    folderId: null,
    updatedAt: '2026-01-15T09:30:00.000Z',
    publicUrl: 'https://qr.example.com/door-abc',
  };
  const HEADERS = {
    'Content-Type': 'application/json',
    'X-RateLimit-Limit': '1',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': '1',
  };
  const FAILURE = { error: 'Not Found', message: 'None.', code: 'not_found', requestId: 'req_1' };

  function check(body: unknown, change: Partial<Exchange> = {}): void {
    checkExchange({
      method: 'GET',
      url: `http://127.0.0.1${API_PATH}/qr/qr_1`,
      requestBody: undefined,
      status: 200,
      headers: new Headers(HEADERS),
      body: Buffer.from(JSON.stringify(body)),
      ...change,
    });
  }
  const without = (name: string) => {
    const headers = new Headers(HEADERS);
    headers.delete(name);
    return headers;
  };
  const withHeader = (name: string, value: string) => new Headers({ ...HEADERS, [name]: value });

  test('accepts a valid response', () => {
    expect(() => {
      check(QR);
      check(FAILURE, { status: 404 });
    }).not.toThrow();
  });

  test.each<[string, unknown, Partial<Exchange>, string]>([
    ['a field is missing', { ...QR, slug: undefined }, {}, "body must have required property 'slug'"],
    ['a rate-limit header is missing', QR, { headers: without('X-RateLimit-Reset') }, 'X-RateLimit-Reset is'],
    ['the content type is wrong', QR, { headers: withHeader('Content-Type', 'text/html') }, 'is text/html'],
    ['the code belongs to another status', FAILURE, { status: 422 }, 'must be equal to one of'],
    [
      'invalid input is accepted',
      QR,
      { method: 'POST', status: 201, url: `http://127.0.0.1${API_PATH}/qr`, requestBody: '{"name":"Door"}' },
      "accepted: body must have required property 'mode'",
    ],
  ])('fails when %s', (_what, body, change, problem) => {
    expect(() => {
      check(body, change);
    }).toThrow(problem);
  });
});
