import type { Account } from '@qr-service/core';
import { Accounts } from '../src/session/Accounts.ts';

const ACCOUNT: Account = { scopes: ['qr:read'], raw: {} };

test.each([
  ['an account', () => Promise.resolve(ACCOUNT), ACCOUNT, 60_000],
  ['a failure', () => Promise.reject(new Error('No response.')), undefined, 5_000],
])('%s is remembered for a while, so that not every request waits for it', async (_name, me, read, ms) => {
  let now = 1_000_000;
  const client = { me: jest.fn(me) };
  const accounts = new Accounts(client, () => now);
  expect(await Promise.all([accounts.atStart(), accounts.atStart()])).toEqual([read, read]);
  now += ms - 1;
  expect(await accounts.atStart()).toEqual(read);
  expect(client.me).toHaveBeenCalledTimes(1);
  now += 1;
  await accounts.atStart();
  expect(client.me).toHaveBeenCalledTimes(2);
});
