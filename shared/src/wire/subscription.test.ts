import { readSigningSecret, readSubscription, SECRET_KEYS } from './subscription.ts';

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
