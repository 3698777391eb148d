import { API_PATH, QR_CODE_FIELDS } from '@qr-service/core/connector';
import { SCOPES } from '@qr-service/core';
import { codeInput, startService, stopServices } from './support/service.ts';

afterEach(stopServices);

test('returns the workspace and the key at GET /me', async () => {
  const { call, emulator } = await startService();
  const { status, json } = await call('GET', '/me');
  expect(status).toBe(200);
  expect(json).toEqual({ workspace: emulator.workspace, scopes: SCOPES, key: { name: 'Emulator key' } });
});

test('creates a code as a draft with exactly the documented summary fields', async () => {
  const { call, emulator } = await startService();
  const { status, json } = await call('POST', '/qr', { body: codeInput('Tisch für Äpfel') });
  expect(status).toBe(201);
  expect(Object.keys(json)).toEqual(QR_CODE_FIELDS.map(({ key }) => key));
  expect(json).toMatchObject({
    name: 'Tisch für Äpfel',
    mode: 'dynamic',
    contentType: 'url',
    status: 'draft',
    approvalState: 'not_required',
    folderId: null,
  });
  expect(json['slug']).toMatch(/^tisch-fur-apfel-[a-z0-9]{6}$/);
  expect(json['publicUrl']).toBe(`${emulator.redirectUrl}/${String(json['slug'])}`);
  expect(json['updatedAt']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test('creates a slug for a name without Latin letters', async () => {
  const { createCode } = await startService();
  expect((await createCode('机')).slug).toMatch(/^code-[a-z0-9]{6}$/);
});

test('returns the current summary when a code is published or its destination updated', async () => {
  const { call, createCode } = await startService();
  const code = await createCode();
  const published = await call('POST', `/qr/${code.id}/publish`);
  expect(published).toMatchObject({ status: 200, json: { id: code.id, status: 'published' } });
  const retargeted = await call('POST', `/qr/${code.id}/destination`, {
    body: { url: 'https://example.com/b' },
  });
  expect(retargeted).toMatchObject({ status: 200, json: { id: code.id, status: 'published' } });
  expect(retargeted.json['updatedAt']).not.toBe(published.json['updatedAt']);
  expect((await call('GET', `/qr/${code.id}`)).json).toEqual(retargeted.json);
});

test('keeps updatedAt when nothing changes', async () => {
  const { call, createCode } = await startService();
  const code = await createCode('Table 4', 'https://example.com/a');
  const first = await call('POST', `/qr/${code.id}/publish`);
  expect((await call('POST', `/qr/${code.id}/publish`)).json).toEqual(first.json);
  const same = await call('POST', `/qr/${code.id}/destination`, { body: { url: 'https://example.com/a' } });
  expect(same.json).toEqual(first.json);
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
  expect(created.status).toBe(201);
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
  const removed = await call('DELETE', `/webhooks/${String(json['id'])}`);
  expect(removed.status).toBe(204);
  expect(removed.bytes).toHaveLength(0);
  expect((await call('DELETE', `/webhooks/${String(json['id'])}`)).json).toMatchObject({ code: 'not_found' });
});

test.each([
  ['GET', '/qr/qr_none'],
  ['POST', '/qr/qr_none/publish'],
  ['POST', '/qr/qr_none/destination'],
  ['GET', '/qr/qr_none/image'],
  ['DELETE', '/webhooks/whk_none'],
  ['GET', '/nothing'],
  ['PATCH', '/qr'],
  ['GET', '/webhooks'],
  ['GET', '/feedback'],
])('returns 404 not_found in the usual form: %s %s', async (method, path) => {
  const { call } = await startService();
  const { status, headers, json } = await call(method, path);
  expect(status).toBe(404);
  expect(headers.get('X-RateLimit-Limit')).toBe('2000');
  expect(json).toEqual({
    error: 'Not Found',
    message: expect.stringMatching(/\.$/),
    code: 'not_found',
    requestId: expect.stringMatching(/^req_/),
  });
});

test('leaves the global Request and Response unchanged', async () => {
  const before = [Request, Response];
  const { emulator } = await startService();
  await fetch(`${emulator.url}${API_PATH}/me`);
  expect([Request, Response]).toEqual(before);
});
