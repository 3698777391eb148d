import { checkWebhookUrl, isPrivateAddress } from './checkWebhookUrl.ts';

it.each([
  'https://hooks.example.com/a?b=c',
  'https://93.184.216.34/',
  'https://172.15.0.1/',
  'https://[2606:2800::1]/',
])('accepts %s', (url) => expect(checkWebhookUrl(url)).toBeUndefined());

it.each([
  ['no url', "It isn't a valid URL."],
  ['http://hooks.example.com/', "It doesn't begin with https://."],
  ['https://localhost/', 'Its host is known only on your own network.'],
  ['https://n8n:5678/', 'Its host is known only on your own network.'],
  ['https://n8n.local/', 'Its host is known only on your own network.'],
  ['https://n8n.corp.internal/', 'Its host is known only on your own network.'],
  ['https://127.1:5678/', 'Its host is a local or private address.'],
  ['https://2130706433/', 'Its host is a local or private address.'],
  ['https://10.1.2.3/', 'Its host is a local or private address.'],
  ['https://172.16.0.1/', 'Its host is a local or private address.'],
  ['https://172.31.255.255/', 'Its host is a local or private address.'],
  ['https://192.168.1.20/', 'Its host is a local or private address.'],
  ['https://169.254.169.254/', 'Its host is a local or private address.'],
  ['https://[::ffff:127.0.0.1]/', 'Its host is a local or private address.'],
  ['https://localhost.:5678/', 'Its host is known only on your own network.'],
  ['https://[::1]/', 'Its host is a local or private address.'],
])('refuses %s', (url, reason) => expect(checkWebhookUrl(url)).toBe(reason));

it.each<[string, boolean]>([
  ['0.0.0.0', true],
  ['::', true],
  ['fd12:3456::1', true],
  ['FE80::1', true],
  ['100.0.0.1', false],
  ['172.32.0.1', false],
  ['2001:4860::8888', false],
  ['10.example.com', false],
  ['fcfe.example.com', false],
])('knows whether %s is private', (address, isPrivate) => expect(isPrivateAddress(address)).toBe(isPrivate));
