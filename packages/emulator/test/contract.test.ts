import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENT_TYPES, SCOPES, type ErrorCode, type QrCode } from '@qr-service/core';
import { ERROR_CODES, QR_CODE_FIELDS } from '@qr-service/core/connector';
import { until } from '../../../test/support/jest/until.ts';
import { some } from '../../../test/support/seed.ts';
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
import { holdSlowRequests } from './support/time.ts';

describe('the contract', () => {
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

  describe.each(
    some(
      OPERATIONS.map((operation) => [operation.operationId, operation] as const),
      3,
    ),
  )('%s', (_id, operation) => {
    test('responds as the contract says, and with each documented error when a fault asks for it', async () => {
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

    test('rejects requests that break the contract, names each invalid field and changes nothing', async () => {
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

    test('requires exactly one scope, and names it when the key lacks it', async () => {
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
});

describe('validation', () => {
  // What the contract leaves open: bounds, text and addresses. contract.test.ts has what it rules out.

  /** The fields that a refusal names. */
  function fields({ status, json }: ApiResponse): string[] {
    expect([status, json['code']]).toEqual([422, 'validation_failed']);
    return Object.keys((json['details'] as { fields: object }).fields);
  }

  const HALF = '\ud83d';
  test.each(
    some(
      [
        ['a blank name', { ...codeInput(' ') }, ['name']],
        [
          'half of a surrogate pair',
          codeInput(HALF, `https://a.example/${HALF}`),
          ['name', 'content.targetUrl'],
        ],
        ['a name that is too long', codeInput('x'.repeat(201)), ['name']],
        [
          'an unknown mode and type',
          { ...codeInput('x'), mode: 'static', contentType: 'vcard' },
          ['mode', 'contentType'],
        ],
        ['a javascript: target', codeInput('x', 'javascript:alert(1)'), ['content.targetUrl']],
        [
          'content that is a string',
          { ...codeInput('x'), content: 'https://a.example' },
          ['content.targetUrl'],
        ],
        ['over 1 MiB', 'x'.repeat(1024 * 1024), ['body']],
      ],
      2,
    ),
  )('names the invalid fields when a code is created with %s', async (_what, body, expected) => {
    const { call } = await startService();
    expect(fields(await call('POST', '/qr', { body }))).toEqual(expected);
    expect((await call('GET', '/qr')).json['data']).toEqual([]);
  });

  const ODD_NAMES = ['😀', 'a\0b', '\ufeffDoor', '\ufffd', 'x\u0301\u200d\u202e'];
  test.each(some(ODD_NAMES, 1))('returns the name %j unchanged', async (name) => {
    const { call, createCode, emulator } = await startService();
    const { id } = await createCode(name);
    expect((await call('GET', `/qr/${id}`)).json['name']).toBe(name);
    emulator.control.rename(id, `${name}2`);
    expect((await call('GET', '/qr')).json['data']).toMatchObject([{ name: `${name}2` }]);
  });

  const NO_DAYS = ['2026-02-29', '2100-02-29', '2026-00-10', '2026-13-01', '2026-01-32'];
  test.each(some(NO_DAYS, 1))('rejects the nonexistent date %s wherever a time is read', async (day) => {
    const { call, emulator } = await startService();
    const time = `${day}T10:00:00Z`;
    expect(fields(await call('GET', `/qr?updatedSince=${time}`))).toEqual(['updatedSince']);
    expect(() => emulator.control.clock.set(time)).toThrow(TypeError);
    expect(() => emulator.control.createKey({ expiresAt: time })).toThrow('must be a time, in ISO 8601');
  });

  test.each(
    some(
      [
        '2024-02-29T10:00:00Z',
        '2026-01-15T09:30Z',
        '2026-01-15T09:30:00.123456Z',
        '2026-01-15T09:30:00+00:00',
      ],
      1,
    ),
  )('accepts the time %s', async (time) => {
    const { call } = await startService();
    // More lenient than the contract's format of a time.
    const lenient = { offContract: true };
    expect((await call('GET', `/qr?updatedSince=${time}`, lenient)).status).toBe(200);
    expect((await call('GET', `/scans?since=${time}`, lenient)).status).toBe(200);
  });

  test.each(
    some(
      [
        ['/qr?limit=0', 'limit'],
        ['/qr?limit=101', 'limit'],
        ['/qr?updatedSince=2026-01-15T00:00:00%2B02:00', 'updatedSince'],
        ['/qr/{id}/image?size=63', 'size'],
        ['/qr/{id}/image?size=4097', 'size'],
      ],
      1,
    ),
  )('rejects GET %s and names the invalid parameter: %s', async (path, field) => {
    const { call, createCode } = await startService();
    const { id } = await createCode();
    expect(fields(await call('GET', path.replace('{id}', id)))).toEqual([field]);
  });

  test.each(
    some(
      [
        ['url', 'http://hooks.example.com/'],
        ['url', 'https://127.0.0.1/'],
        ['url', 7],
        ['eventTypes', []],
        ['eventTypes', 'qr.created'],
        ['eventTypes', ['qr.exploded', 1]],
      ],
      2,
    ),
  )('refuses a subscription with the %s %j', async (field, value) => {
    const { call, emulator } = await startService();
    const body = { url: 'https://hooks.example.com/', eventTypes: ['qr.created'], [field]: value };
    expect(fields(await call('POST', '/webhooks', { body }))).toEqual([field]);
    expect(emulator.control.subscriptions()).toEqual([]);
  });
});

describe('endpoints', () => {
  test('serves the OpenAPI file, with its own URL as the base URL', async () => {
    const { url } = (await startService()).emulator;
    const response = await fetch(`${url}/openapi.yaml`);
    expect(response.headers.get('Content-Type')).toBe('application/yaml');
    const file = readFileSync(join(__dirname, '../../../shared/contract/openapi.yaml'), 'utf8');
    expect(await response.text()).toBe(file.replace('https://api.qr-service.example', url));
  });

  test('returns the workspace and the key at GET /me', async () => {
    const { call, emulator } = await startService();
    const { json } = await call('GET', '/me');
    expect(json).toEqual({ workspace: emulator.workspace, scopes: SCOPES, key: { name: 'Emulator key' } });
  });

  test('creates a code as a draft with exactly the documented summary fields', async () => {
    const { call, createCode, emulator } = await startService();
    const { status, json } = await call('POST', '/qr', { body: codeInput('Tisch für Äpfel') });
    expect(status).toBe(201);
    expect(Object.keys(json).toSorted()).toEqual(QR_CODE_FIELDS.map(({ key }) => key).toSorted());
    expect(json).toMatchObject({
      name: 'Tisch für Äpfel',
      mode: 'dynamic',
      contentType: 'url',
      status: 'draft',
      approvalState: 'not_required',
      folderId: null,
      slug: expect.stringMatching(/^tisch-fur-apfel-[a-z0-9]{6}$/),
      publicUrl: `${emulator.redirectUrl}/${String(json['slug'])}`,
      updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect((await createCode('机')).slug).toMatch(/^code-[a-z0-9]{6}$/);
  });

  test('returns the current summary when a code is published or retargeted, with the same updatedAt if nothing changes', async () => {
    const { call, createCode } = await startService();
    const { id } = await createCode();
    const retarget = () => call('POST', `/qr/${id}/destination`, { body: { url: 'https://example.com/b' } });
    const published = await call('POST', `/qr/${id}/publish`);
    expect(published).toMatchObject({ status: 200, json: { id, status: 'published' } });
    expect((await call('POST', `/qr/${id}/publish`)).json).toEqual(published.json);
    const retargeted = await retarget();
    expect(retargeted).toMatchObject({ status: 200, json: { id, status: 'published' } });
    expect(retargeted.json['updatedAt']).not.toBe(published.json['updatedAt']);
    expect((await retarget()).json).toEqual(retargeted.json);
    expect((await call('GET', `/qr/${id}`)).json).toEqual(retargeted.json);
  });

  test('refuses to publish an archived code', async () => {
    const { call, createCode, emulator } = await startService();
    const { id } = await createCode();
    emulator.control.archive(id);
    expect((await call('GET', `/qr/${id}`)).json).toMatchObject({ status: 'archived' });
    expect(await call('POST', `/qr/${id}/publish`)).toMatchObject({
      status: 422,
      json: { code: 'validation_failed', details: { fields: { status: expect.any(String) } } },
    });
  });

  test('removes a deleted code from every endpoint', async () => {
    const { call, createCode, emulator } = await startService();
    const code = await createCode();
    await call('POST', `/qr/${code.id}/publish`);
    emulator.control.delete(code.id);
    expect((await call('GET', `/qr/${code.id}`)).json).toMatchObject({ code: 'not_found' });
    expect((await call('GET', '/qr')).json['data']).toEqual([]);
    expect((await fetch(code.publicUrl)).status).toBe(404);
  });

  test("serves the legacy path for the key's own workspace only", async () => {
    const { call, emulator } = await startService();
    const path = `/workspaces/${emulator.workspace.id}/qr`;
    const created = await call('POST', path, { body: codeInput('Old path') });
    expect((await call('GET', path)).json['data']).toEqual([created.json]);
    for (const method of ['GET', 'POST'])
      expect(await call(method, '/workspaces/ws_other/qr')).toMatchObject({
        status: 403,
        json: { code: 'workspace_mismatch' },
      });
  });

  test('returns the secret when a subscription is created, and 404 when it is removed twice', async () => {
    const { call, emulator } = await startService();
    const input = { url: 'https://hooks.example.com/a?b=c', eventTypes: ['qr.created', 'qr.updated'] };
    const { status, json } = await call('POST', '/webhooks', { body: input });
    expect(status).toBe(201);
    expect(Object.keys(json)).toEqual(['id', 'url', 'eventTypes', 'createdAt', 'secret']);
    expect(json).toMatchObject({ ...input, secret: expect.stringMatching(/^whsec_[\w-]{43}$/) });
    expect(emulator.control.subscriptions()).toMatchObject([{ id: json['id'], secret: json['secret'] }]);
    const remove = () => call('DELETE', `/webhooks/${String(json['id'])}`);
    expect(await remove()).toMatchObject({ status: 204, bytes: Buffer.from('') });
    expect((await remove()).json).toMatchObject({ code: 'not_found' });
  });

  test.each([
    ['GET', '/nothing'],
    ['PATCH', '/qr'],
    ['GET', '/webhooks'],
  ])('returns 404 not_found in the usual form: %s %s', async (method, path) => {
    const { call } = await startService();
    const { status, json } = await call(method, path);
    expect(status).toBe(404);
    expect(json).toEqual({
      error: 'Not Found',
      message: expect.stringMatching(/\.$/),
      code: 'not_found',
      requestId: expect.stringMatching(/^req_/),
    });
  });

  test('returns an internal error as a 500 in the usual form, and logs it without the API key', async () => {
    const lines: string[] = [];
    let isBroken = false;
    const now = () => {
      if (!isBroken) return Date.now();
      isBroken = false;
      throw new Error('broken clock');
    };
    const { call, emulator } = await startService({ now, log: (line) => lines.push(line) });
    expect((await call('GET', '/me')).status).toBe(200);
    isBroken = true;
    const { status, json } = await call('GET', '/me', { offContract: true });
    expect(status).toBe(500);
    expect(json).toMatchObject({ error: 'Internal Server Error', code: 'internal_error' });
    expect(json['message']).not.toContain('broken clock');
    expect(lines.join('\n')).toContain('broken clock');
    expect(lines.join('\n')).not.toContain(emulator.apiKey);
  });

  test("sets the Date header of every response from the emulator's clock", async () => {
    const { call, emulator } = await startService({ now: () => Date.parse('2026-01-15T12:00:00.700Z') });
    const date = async (path: string) => (await call('GET', path)).headers.get('Date');
    expect(await date('/qr')).toBe('Thu, 15 Jan 2026 12:00:00 GMT');
    emulator.control.clock.set('2030-01-01T00:00:00Z');
    emulator.control.failNext({ status: 503 });
    expect(await date('/me')).toBe('Tue, 01 Jan 2030 00:00:00 GMT');
  });
});

describe('idempotency', () => {
  const withKey = (key: string, body?: unknown): ApiRequest => ({
    headers: { 'Idempotency-Key': key },
    ...(body === undefined ? {} : { body }),
  });
  const create = ({ call }: Service, key: string, name: string) =>
    call('POST', '/qr', withKey(key, codeInput(name)));
  const names = async ({ call }: Service) =>
    ((await call('GET', '/qr')).json['data'] as QrCode[]).map(({ name }) => name);
  const isReplayed = ({ headers }: ApiResponse) => headers.get('Idempotency-Replayed') === 'true';

  test('replays the first response to a repeated request and creates one code', async () => {
    const service = await startService();
    const first = await create(service, 'a', 'Once');
    const again = await create(service, 'a', 'Once');
    expect([isReplayed(first), isReplayed(again)]).toEqual([false, true]);
    expect(again.headers.get('Content-Type')).toBe('application/json');
    expect([again.status, again.bytes]).toEqual([201, first.bytes]);
    expect(await names(service)).toEqual(['Once']);
  });

  describe.each([
    ['replayed', ['replay', 'conflict'], ['replay', 'conflict']],
    ['refusals not replayed', ['replay', 'conflict'], ['new', 'new']],
    ['ignored', ['new', 'new'], ['new', 'new']],
  ] as const)('with the setting idempotency: %s', (idempotency, afterSuccess, afterRefusal) => {
    test.each([
      ['success', codeInput('Once'), codeInput('Other'), afterSuccess],
      ['refusal', {}, { name: 4 }, afterRefusal],
    ])('handles a key that is reused after a %s', async (_what, input, other, expected) => {
      const { call } = await startService({ idempotency });
      const first = await call('POST', '/qr', withKey('a', input));
      const outcomes: string[] = [];
      for (const body of [input, other]) {
        const again = await call('POST', '/qr', withKey('a', body));
        const isConflict = again.status === 409 && again.json['code'] === 'idempotency_conflict';
        const isSame = again.bytes.equals(first.bytes);
        expect(isReplayed(again)).toBe(isSame);
        if (!isConflict) expect(again.status).toBe(first.status);
        const outcome = isSame ? 'replay' : 'new';
        outcomes.push(isConflict ? 'conflict' : outcome);
      }
      expect(outcomes).toEqual(expected);
    });
  });

  test('returns 409 idempotency_conflict for a key reused on another route, but not by another API key', async () => {
    const service = await startService();
    await create(service, 'a', 'One');
    const conflict = { status: 409, json: { code: 'idempotency_conflict' } };
    expect(await service.call('POST', '/webhooks', withKey('a', codeInput('One')))).toMatchObject(conflict);
    const { apiKey } = service.emulator.control.createKey();
    const other = await service.call('POST', '/qr', { ...withKey('a', codeInput('Two')), apiKey });
    expect(other.status).toBe(201);
  });

  test('while the first request is delayed, serves other keys and returns 409 for the same one: in progress, or conflict if the input differs', async () => {
    const service = await startService();
    const slow = holdSlowRequests();
    service.emulator.control.failNext({ delayMs: 300 });
    const first = create(service, 'a', 'One');
    await until(() => slow.delays.length > 0);
    const [same, other, free] = await Promise.all([
      create(service, 'a', 'One'),
      create(service, 'a', 'Two'),
      create(service, 'b', 'Three'),
    ]);
    expect(same).toMatchObject({ status: 409, json: { code: 'idempotency_in_progress' } });
    expect(other).toMatchObject({ status: 409, json: { code: 'idempotency_conflict' } });
    expect(free.status).toBe(201);
    slow.release();
    expect((await first).status).toBe(201);
    expect(isReplayed(await create(service, 'a', 'One'))).toBe(true);
  });

  test('replays a response that was lost, but never a 5xx', async () => {
    const service = await startService();
    service.emulator.control.failNext({ drop: 'after' });
    await expect(create(service, 'a', 'One')).rejects.toThrow();
    expect((await create(service, 'a', 'One')).status).toBe(201);
    expect(await names(service)).toEqual(['One']);
    service.emulator.control.failNext({ status: 503 });
    expect((await create(service, 'b', 'Two')).status).toBe(503);
    const again = await create(service, 'b', 'Two');
    expect([again.status, isReplayed(again)]).toEqual([201, false]);
  });
});
