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
    ...[
      'https://api.example.com/',
      'https://api.example.com/v1/public-api',
      ' https://api.example.com/proxy ',
    ],
    ...[
      'http://localhost:4010',
      'http://127.0.0.1:4010',
      'http://[::1]:4010',
      'http://emulator.localhost:4010',
    ],
    ...['http://qr-emulator:4010', 'http://QR-EMULATOR', 'http://host.docker.internal:4010'],
    ...['http://qr.internal/v1/public-api', 'http://nas.local:8080', 'http://nas.local.:8080'],
  ])('accepts the base URL %s', (baseUrl) => expect(make({ baseUrl })).not.toThrow());

  it.each<[sentence: RegExp, baseUrls: (string | undefined)[]]>([
    [/^Base URL isn't a valid URL\. Expected something like https:/, [undefined, '', 'api.example.com']],
    [
      /^Base URL must start with https:\/\/\. /,
      [
        ...[
          'http://api.example.com',
          'http://evil-internal.example',
          'http://local.example',
          'ftp://localhost',
        ],
        ...['http://3232235781', 'http://[fd00::1]:4010', 'http://127.0.0.1.example', 'http://192.168.1.5'],
      ],
    ],
    [
      /^Base URL contains a user name, a query or a fragment\. /,
      ['https://key@a.example', 'https://:key@a.example', 'https://a.example?a=b', 'https://a.example#a'],
    ],
  ])('says %s of each of %j', (sentence, baseUrls) => {
    for (const baseUrl of baseUrls) {
      expect(make({ baseUrl })).toThrow(expect.objectContaining({ code: 'invalid_input' }));
      expect(make({ baseUrl })).toThrow(sentence);
    }
  });

  it.each<[object, RegExp]>([
    [{ apiKey: undefined }, /The API key is empty/],
    [{ apiKey: ' ' }, /The API key is empty/],
    [{ apiKey: 'a\nb' }, /contains invalid characters/],
    [{ apiKey: 'schlüssel' }, /contains invalid characters/],
    [{ timeoutMs: NaN }, /timeoutMs must be a number/],
    [{ timeoutMs: 0 }, /timeoutMs must be a number/],
    [{ timeoutMs: Infinity }, /timeoutMs must be a number/],
  ])('refuses the options %j: %s', (options, sentence) => {
    expect(make(options)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
    expect(make(options)).toThrow(sentence);
  });

  it('does not show the key in an error', () => {
    expect(make({ apiKey: 'qrs_sécret' })).toThrow(expect.not.stringContaining('qrs_'));
  });
});
