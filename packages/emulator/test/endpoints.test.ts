import { SCOPES } from '@qr-service/core';
import { QR_CODE_FIELDS } from '@qr-service/core/connector';
import { codeInput, startService } from './support/service.ts';

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

test('returns its own failure as a 500 in the usual form and logs it without the key', async () => {
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

test('sets Date from its own clock on every response', async () => {
  const { call, emulator } = await startService({ now: () => Date.parse('2026-01-15T12:00:00.700Z') });
  const date = async (path: string) => (await call('GET', path)).headers.get('Date');
  expect(await date('/qr')).toBe('Thu, 15 Jan 2026 12:00:00 GMT');
  emulator.control.clock.set('2030-01-01T00:00:00Z');
  emulator.control.failNext({ status: 503 });
  expect(await date('/me')).toBe('Tue, 01 Jan 2030 00:00:00 GMT');
});
