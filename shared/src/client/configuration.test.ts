import { readBaseUrl, readOptions } from './configuration.ts';
import { PlatformClient } from './PlatformClient.ts';

const words = (text: string) => text.split(/\s+/);
const GOOD = { baseUrl: 'https://api.example.com', apiKey: 'qrs_key', transport: jest.fn() };
const clientOf = (options: object) => () => new PlatformClient({ ...GOOD, ...options });

it.each(
  words(`https://api.example.com/ https://api.example.com/v1/public-api http://localhost:4010 http://127.0.0.1:4010
    http://[::1]:4010 http://emulator.localhost:4010 http://qr-emulator:4010 http://QR-EMULATOR
    http://host.docker.internal:4010 http://qr.internal/v1/public-api http://nas.local:8080 http://nas.local.:8080`),
)('the base URL may be %s, also between spaces', (url) =>
  expect(clientOf({ baseUrl: `\u00A0${url}\n` })).not.toThrow(),
);

it.each([
  ['https://a.example', 'https://a.example/v1/public-api'],
  ['https://a.example/v1//', 'https://a.example/v1/v1/public-api'],
  ['https://a.example/b//c/v1/public-api/', 'https://a.example/b//c/v1/public-api'],
])('the base URL %s becomes %s', (baseUrl, read) => expect(readBaseUrl(baseUrl)).toBe(read));

it.each([
  ['in any form', 'qrs"key+', 'qrs"key+ qrs%22key%2B "qrs\\"key+"', '[API key] [API key] "[API key]"'],
  ['unless it may be part of any word', 'a', 'a word', 'a word'],
])('hides a key %s', (_what, apiKey, text, shown) =>
  expect(readOptions({ ...GOOD, apiKey }).mask(text)).toBe(shown),
);

const urls = (list: string) => words(list).map((baseUrl) => ({ baseUrl }));
const NOT_ENCRYPTED =
  urls(`http://api.example.com http://evil-internal.example http://local.example ftp://localhost
  http://192.168.1.5 http://3232235781 http://[fd00::1]:4010 http://127.0.0.1.example`);
const OVERFULL = urls(
  'https://key@a.example https://:key@a.example https://a.example?a=b https://a.example#a',
);
it.each<[sentence: RegExp, options: object[]]>([
  [/^Base URL isn't a valid URL\. Expected something/, [{ baseUrl: '' }, ...urls(' api.example.com')]],
  [/^Base URL must start with https:\/\/\. /, NOT_ENCRYPTED],
  [/^Base URL contains a user name, a query or a fragment\. /, OVERFULL],
  [/^The API key is empty\. Create an API key in the app/, [{ apiKey: undefined }, { apiKey: ' ' }]],
  [/^The API key contains invalid .* "Bearer"\.$/, [{ apiKey: 'a\nb' }, { apiKey: 'schlüssel' }]],
  [/^timeoutMs must be a number/, [{ timeoutMs: NaN }, { timeoutMs: 0 }, { timeoutMs: 2 ** 31 }]],
  [/^totalTimeoutMs must be a number/, [{ totalTimeoutMs: 0 }]],
])('says %s, without the key', (sentence, options) => {
  for (const each of options) {
    const message = expect.not.stringContaining('schlüssel') as string;
    expect(clientOf(each)).toThrow(expect.objectContaining({ code: 'invalid_input', message }));
    expect(clientOf(each)).toThrow(sentence);
  }
});

it('allows destinations only as the options say', () => {
  expect(clientOf({})().qr.hasAllowedTargets).toBe(false);
  const { qr } = clientOf({ allowedTargets: 'example.com' })();
  expect(qr.hasAllowedTargets).toBe(true);
  expect(() => qr.checkTarget('https://evil.test')).toThrow("evil.test isn't an allowed");
});
