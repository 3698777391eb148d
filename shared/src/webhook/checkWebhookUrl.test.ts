import { checkWebhookUrl, isPrivateAddress } from './checkWebhookUrl.ts';

const PRIVATE = 'Its host is a local or private address.';
const UNKNOWN = 'Its host is known only on your own network.';
const words = (text: string) => text.trim().split(/\s+/);

it.each<[reason: string | undefined, url: string]>([
  ["It isn't a valid URL.", 'no url'],
  ["It doesn't begin with https://.", 'http://hooks.example.com/'],
  ...words(`hooks.example.com/a?b=c 93.184.216.34 172.15.0.1 [2606:2800::1]`).map(
    (host) => [undefined, `https://${host}`] as [undefined, string],
  ),
  ...words(`127.1:5678 2130706433 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.20 169.254.169.254 [::1]
    [::ffff:127.0.0.1]`).map((host) => [PRIVATE, `https://${host}`] as [string, string]),
  ...words(`localhost n8n.local.:5678 n8n:5678 n8n.local n8n.corp.internal`).map(
    (host) => [UNKNOWN, `https://${host}`] as [string, string],
  ),
])('says %p of %s', (reason, url) => expect(checkWebhookUrl(url)).toBe(reason));

it.each<[isPrivate: boolean, addresses: string]>([
  [true, '0.0.0.0 :: fd12:3456::1 FE80::1'],
  [false, '100.0.0.1 172.32.0.1 2001:4860::8888 10.example.com fcfe.example.com'],
])('says %p, private, of %s', (isPrivate, addresses) =>
  expect(words(addresses).map(isPrivateAddress)).toEqual(words(addresses).map(() => isPrivate)),
);
