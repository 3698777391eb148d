import { missingScopes, SCOPES } from './scopes.ts';

test('lists a scope as missing if the key lacks it and a call needs it', () => {
  expect(missingScopes(SCOPES)).toEqual([]);
  expect(missingScopes(['qr:read', 'webhooks:write', 'analytics:read', 'something:new'])).toEqual([
    { scope: 'qr:write', operations: ['qr.create', 'qr.publish', 'qr.retarget'] },
    { scope: 'exports:read', operations: ['qr.render'] },
  ]);
  expect(missingScopes([]).map(({ scope }) => scope)).toEqual([
    'qr:read',
    'qr:write',
    'exports:read',
    'analytics:read',
    'webhooks:write',
  ]);
});
