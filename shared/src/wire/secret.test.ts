import { describeSecretFields, readSigningSecret } from './secret.ts';

describe('readSigningSecret', () => {
  it.each(['secret', 'signingSecret', 'signing_secret', 'webhookSecret', 'signingKey'])(
    'reads the field %s',
    (key) => {
      expect(readSigningSecret({ id: 'w', [key]: 's1' })).toBe('s1');
      expect(readSigningSecret({ subscription: { id: 'w', [key]: 's1' } })).toBe('s1');
    },
  );

  it('accepts the same secret in two fields', () =>
    expect(readSigningSecret({ secret: 's1', signingSecret: 's1' })).toBe('s1'));

  it('finds a secret beside the subscription', () =>
    expect(readSigningSecret({ subscription: { id: 'w' }, signingSecret: 's1' })).toBe('s1'));

  it.each<[string, unknown, string]>([
    ['none', { id: 'w', url: 'https://a.example' }, 'the keys id, url'],
    [
      'none one level down',
      { subscription: { id: 'w', key: 's1' }, gone: null },
      'the keys subscription (id, key), gone',
    ],
    ['two that differ', { secret: 's1', signingKey: 's2' }, 'different values in secret and signingKey'],
    [
      'two levels that differ',
      { secret: 's1', subscription: { secret: 's2' } },
      'different values in secret',
    ],
  ])('explains %s without revealing a secret', (_what, body, told) => {
    expect(readSigningSecret(body)).toBeUndefined();
    expect(describeSecretFields(body)).toBe(told);
    expect(told).not.toMatch(/s1|s2/);
  });

  it.each([{ id: 'w' }, { secret: '' }, { secret: 7 }, ['s1'], undefined])(
    'returns undefined for %j',
    (body) => expect(readSigningSecret(body)).toBeUndefined(),
  );
});
