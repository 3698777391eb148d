import { readAccount } from './account.ts';

it.each<[string, unknown]>([
  ['nested', { workspace: { id: 'ws_1', name: 'Café' }, scopes: ['qr:read'] }],
  ['flat', { workspaceId: 'ws_1', workspaceName: 'Café', key: { scopes: ['qr:read'] } }],
  ['in data', { data: { id: 'ws_1', name: 'Café', scopes: ['qr:read'] } }],
])('reads an account: %s', (_what, body) =>
  expect(readAccount(body)).toEqual({
    workspace: { id: 'ws_1', name: 'Café' },
    scopes: ['qr:read'],
    raw: body,
  }),
);

it.each<[string, unknown, unknown]>([
  ["the workspace's ID beside a user's", { id: 'user_1', workspaceId: 'ws_1' }, { id: 'ws_1' }],
  ['a name without an ID', { workspace: { name: 'Café' } }, { name: 'Café' }],
  ['the workspace next to empty data', { workspace: { id: 'ws_1' }, data: {} }, { id: 'ws_1' }],
])('reads %s', (_what, body, workspace) => expect(readAccount(body).workspace).toEqual(workspace));

it.each<[unknown, RegExp]>([
  [[], /expected an account\. Got a list\./],
  [undefined, /expected an account\. Got an empty body\./],
  ['<html>', /expected an account\. Got a string\./],
])('throws and names what it found in %j', (body, seen) => expect(() => readAccount(body)).toThrow(seen));

it('returns nothing that the response lacks', () => expect(readAccount({})).toEqual({ raw: {} }));
