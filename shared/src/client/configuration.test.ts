import type { ClientOptions } from './configuration.ts';
import { QrServiceClient } from './QrServiceClient.ts';

const good: ClientOptions = {
  baseUrl: 'https://api.example.com',
  apiKey: 'qrs_key',
  transport: () => Promise.reject(new Error('nothing is sent')),
};
const make = (options: object) => () => new QrServiceClient({ ...good, ...options });

describe('QrServiceClient', () => {
  it.each([
    'https://api.example.com/',
    'https://api.example.com/v1/public-api',
    ' https://api.example.com/proxy ',
    'http://localhost:4010',
    'http://127.0.0.1:4010',
    'http://[::1]:4010',
    'http://emulator.localhost:4010',
    'http://qr-emulator:4010',
    'http://QR-EMULATOR',
    'http://host.docker.internal:4010',
    'http://qr.internal/v1/public-api',
    'http://nas.local:8080',
    'http://nas.local.:8080',
  ])('accepts the base URL %s', (baseUrl) => expect(make({ baseUrl })).not.toThrow());

  it.each<[string, object, RegExp]>([
    ['no base URL', { baseUrl: undefined }, /^Base URL isn't a valid URL\. Expected something like https:/],
    ['an empty base URL', { baseUrl: '' }, /Base URL isn't a valid URL/],
    ['a base URL without a scheme', { baseUrl: 'api.example.com' }, /Base URL isn't a valid URL/],
    ['http to another machine', { baseUrl: 'http://api.example.com' }, /must start with https:/],
    [
      'http to a name that ends like a local name',
      { baseUrl: 'http://evil-internal.example' },
      /must start with/,
    ],
    ['http to a name that starts like a local name', { baseUrl: 'http://local.example' }, /must start with/],
    ['http to an IP address written as a number', { baseUrl: 'http://3232235781' }, /must start with https:/],
    ['http to an IPv6 address', { baseUrl: 'http://[fd00::1]:4010' }, /must start with https:/],
    [
      'http to a name that looks like a local IP address',
      { baseUrl: 'http://127.0.0.1.example' },
      /must start/,
    ],
    ['http to a private address', { baseUrl: 'http://192.168.1.5' }, /must start with https:/],
    ['ftp', { baseUrl: 'ftp://localhost' }, /must start with https:/],
    [
      'a key in the base URL',
      { baseUrl: 'https://key@api.example.com' },
      /contains a user name, a query or a fragment/,
    ],
    [
      'a password in the base URL',
      { baseUrl: 'https://:key@api.example.com' },
      /contains a user name, a query or a fragment/,
    ],
    [
      'a query in the base URL',
      { baseUrl: 'https://api.example.com?a=b' },
      /contains a user name, a query or a fragment/,
    ],
    ['no key', { apiKey: undefined }, /The API key is empty/],
    ['an empty key', { apiKey: ' ' }, /The API key is empty/],
    ['a key with a line break', { apiKey: 'a\nb' }, /contains invalid characters/],
    [
      "a key with a letter that headers can't contain",
      { apiKey: 'schlüssel' },
      /contains invalid characters/,
    ],
    ['a timeout of NaN', { timeoutMs: NaN }, /timeoutMs must be a number/],
    ['a timeout of 0', { timeoutMs: 0 }, /timeoutMs must be a number/],
    ['an infinite timeout', { timeoutMs: Infinity }, /timeoutMs must be a number/],
  ])('refuses options with %s and says how to fix them', (_what, options, sentence) => {
    expect(make(options)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
    expect(make(options)).toThrow(sentence);
  });

  it('does not show the key in an error', () => {
    expect(make({ apiKey: 'qrs_sécret' })).toThrow(expect.not.stringContaining('qrs_'));
  });
});
