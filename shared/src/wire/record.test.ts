import { describeShape, readAccount, readQrCode, readRecord } from './record.ts';
import { readSigningSecret, readSubscription, SECRET_KEYS } from './record.ts';

const code = { id: 'qr_1', name: 'Door', publicUrl: 'https://r.example/door' };

describe('readQrCode', () => {
  it.each<[string, unknown]>([
    ['flat', code],
    ['under qr', { qr: code }],
    ['under data', { data: code, ok: true }],
    ['under any other name', { ok: true, qrCode: code }],
    ["beside records that aren't codes", { code, workspace: { id: 'ws_1' } }],
    ['inside a record with its own ID', { id: 'job_1', qr: code }],
  ])('reads %s', (_what, body) => expect(readQrCode(body)).toEqual(code));

  it.each<[string, unknown]>([
    ['an empty body', undefined],
    ['{ok: true}', { ok: true }],
    ["a record that isn't a code", { id: 'job_1', state: 'queued' }],
    ['an array', [code]],
    ['a job with a name and a time', { id: 'job_1', name: 'Publish', updatedAt: '2026-01-01T00:00:00.000Z' }],
    ['a code two levels down', { data: { qr: code } }],
    ['a job under its name', { job: { id: 'job_1', state: 'queued' } }],
    ['one of two codes', { code, template: { ...code, id: 'qr_2' } }],
    ['a code without an ID next to its folder', { name: 'Door', slug: 'door', folder: { id: 'fld_1' } }],
    ['a code with an empty ID', { ...code, id: '' }],
  ])('returns undefined for %s', (_what, body) => expect(readQrCode(body)).toBeUndefined());

  it.each(['slug', 'publicUrl', 'mode', 'contentType'])('recognizes a code by its %s alone', (key) =>
    expect(readQrCode({ id: 'qr_1', [key]: 'a' })).toEqual({ id: 'qr_1', [key]: 'a' }),
  );
});

describe('readRecord', () => {
  it.each<[string, unknown, string | undefined]>([
    ['a wrapper of any name', { webhook: { id: 'a' } }, 'a'],
    ['a wrapper beside objects without an ID', { meta: {}, webhook: { id: 'w' }, links: { self: '/' } }, 'w'],
    ['two wrappers', { one: { id: 'a' }, two: { id: 'b' } }, undefined],
    ['a list', { webhooks: [{ id: 'a' }] }, undefined],
    ['an outer object with an ID', { id: 'out', webhook: { id: 'a' } }, 'out'],
  ])('reads %s', (_what, body, id) => expect(readRecord(body)?.id).toBe(id));
});

describe('describeShape', () => {
  it.each<[unknown, string]>([
    [{ data: { page: {} }, ok: true }, 'the keys data, ok'],
    [{}, 'an empty object'],
    [[], 'a list'],
    [null, 'null'],
    ['', 'an empty body'],
    ['text', 'a string'],
    [{ 'line\nbreak': 1, ['k'.repeat(500)]: 1 }, `the keys line break, ${'k'.repeat(148)}…`],
  ])('names only keys and kinds in %j', (value, told) => expect(describeShape(value)).toBe(told));
});

describe('readAccount', () => {
  it.each<[string, unknown]>([
    ['nested', { workspace: { id: 'ws_1', name: 'Café' }, scopes: ['qr:read'] }],
    ['flat', { workspaceId: 'ws_1', workspaceName: 'Café', key: { scopes: ['qr:read'] } }],
    ['in data', { data: { id: 'ws_1', name: 'Café', scopes: ['qr:read'] } }],
  ])('reads an account: %s', (_what, body) => {
    const workspace = { id: 'ws_1', name: 'Café' };
    expect(readAccount(body)).toEqual({ workspace, scopes: ['qr:read'], raw: body });
  });

  it.each<[string, unknown, unknown]>([
    ["the workspace's ID beside a user's", { id: 'user_1', workspaceId: 'ws_1' }, { id: 'ws_1' }],
    ['a name without an ID', { workspace: { name: 'Café' } }, { name: 'Café' }],
    ['the workspace next to empty data', { workspace: { id: 'ws_1' }, data: {} }, { id: 'ws_1' }],
  ])('reads %s', (_what, body, workspace) => expect(readAccount(body).workspace).toEqual(workspace));

  it('throws and names what it found instead', () =>
    expect(() => readAccount([])).toThrow('expected an account. Got a list.'));

  it('returns nothing that the response lacks', () => expect(readAccount({})).toEqual({ raw: {} }));
});

const made = { id: 'wh_1', url: 'https://a.example', eventTypes: ['qr.created'] };

describe('readSubscription', () => {
  it.each<[string, unknown]>([
    ['flat', { ...made, signingKey: 's' }],
    ['in an object of any name', { webhook: { ...made, signingKey: 's' } }],
    ['with its secret beside it', { webhook: made, signingKey: 's' }],
    ['with an ID alone', { id: 'wh_1' }],
    ['with an ID and a secret alone', { endpoint: { id: 'wh_1', secret: 's' } }],
    ['beside the workspace', { webhook: { ...made, signingKey: 's' }, workspace: { id: 'ws_1' } }],
  ])('reads one %s', (_what, body) => expect(readSubscription(body)?.id).toBe('wh_1'));

  it.each<[string, unknown]>([
    ['two of them', { one: { ...made, secret: 's' }, two: { ...made, id: 'wh_2', secret: 't' } }],
    ['one without an ID', { url: 'https://a.example', secret: 's', workspace: { id: 'ws_1' } }],
    ['an empty body', undefined],
  ])('returns undefined for %s', (_what, body) => expect(readSubscription(body)).toBeUndefined());
});

describe('readSigningSecret', () => {
  it.each(SECRET_KEYS)('reads the field %s', (key) => {
    expect(readSigningSecret({ id: 'w', [key]: 's1' })).toBe('s1');
    expect(readSigningSecret({ subscription: { id: 'w', [key]: 's1' } })).toBe('s1');
  });

  it.each<[string, unknown, string | undefined]>([
    ['the same secret in two fields', { secret: 's1', signingSecret: 's1' }, 's1'],
    ['a secret beside the subscription', { subscription: { id: 'w' }, signingSecret: 's1' }, 's1'],
    ['none', { id: 'w', url: 'https://a.example' }, undefined],
    ['an empty one', { secret: '' }, undefined],
    ['two that differ', { secret: 's1', signingKey: 's2' }, undefined],
    ['two that differ, one of them nested', { secret: 's1', webhook: { secret: 's2' } }, undefined],
    ['an empty body', undefined, undefined],
  ])('reads %s', (_what, body, secret) => expect(readSigningSecret(body)).toBe(secret));
});
