import type { Account } from '@qr-service/core';
import { accountReader } from '../src/session/accountReader.ts';
import { createSession } from '../src/session/session.ts';

test('the key of a creation depends on the session, the input and the copy', () => {
  const [one, other] = [createSession('s'), createSession('t')];
  const input = { name: 'A', targetUrl: 'https://a.example' };
  const reordered = { targetUrl: 'https://a.example', name: 'A' };
  expect(one.creationKey(input, 1)).toBe(one.creationKey(reordered, 1));
  const keys = [one.creationKey(input, 1), one.creationKey(input, 2), other.creationKey(input, 1)];
  expect(new Set([...keys, one.creationKey({ ...input, name: 'B' }, 1)]).size).toBe(4);
});

const ACCOUNT: Account = { scopes: ['qr:read'], raw: {} };

test.each([
  ['an account', () => Promise.resolve(ACCOUNT), ACCOUNT],
  ['a failure', () => Promise.reject(new Error('No response.')), undefined],
])('%s is remembered for a minute, so that not every request waits for it', async (_what, me, read) => {
  let now = 1_000_000;
  const client = { me: jest.fn(me) };
  const readAccount = accountReader(client, () => now);
  expect(await Promise.all([readAccount(), readAccount()])).toEqual([read, read]);
  now += 59_999;
  expect(await readAccount()).toEqual(read);
  expect(client.me).toHaveBeenCalledTimes(1);
  now += 1;
  await readAccount();
  expect(client.me).toHaveBeenCalledTimes(2);
});
