import type { ClientOptions } from './configuration.ts';
import { QrServiceClient } from './QrServiceClient.ts';

const good: ClientOptions = {
  baseUrl: 'https://api.example.com',
  apiKey: 'qrs_key',
  transport: () => Promise.reject(new Error('nothing is sent')),
};
const words = (text: string) => text.split(/\s+/);
const make = (options: object) => () => new QrServiceClient({ ...good, ...options });

it.each(
  words(`https://api.example.com/ https://api.example.com/v1/public-api http://localhost:4010 http://127.0.0.1:4010
    http://[::1]:4010 http://emulator.localhost:4010 http://qr-emulator:4010 http://QR-EMULATOR
    http://host.docker.internal:4010 http://qr.internal/v1/public-api http://nas.local:8080 http://nas.local.:8080`),
)('the base URL may be %s, also between spaces', (url) =>
  expect(make({ baseUrl: ` ${url} ` })).not.toThrow(),
);

const NO_URL = /^Base URL isn't a valid URL\. Expected something like https:/;
const UNENCRYPTED = /^Base URL must start with https:\/\/\. /;
const OTHER_PARTS = /^Base URL contains a user name, a query or a fragment\. /;
const rows = (urls: string, sentence: RegExp) =>
  words(urls).map((each) => [{ baseUrl: each }, sentence] as const);

it.each<readonly [object, RegExp]>([
  [{ baseUrl: undefined }, NO_URL],
  ...rows(' api.example.com', NO_URL),
  ...rows(
    'http://api.example.com http://evil-internal.example http://local.example ftp://localhost',
    UNENCRYPTED,
  ),
  ...rows('http://3232235781 http://[fd00::1]:4010 http://127.0.0.1.example http://192.168.1.5', UNENCRYPTED),
  ...rows(
    'https://key@a.example https://:key@a.example https://a.example?a=b https://a.example#a',
    OTHER_PARTS,
  ),
  [{ apiKey: undefined }, /The API key is empty/],
  [{ apiKey: ' ' }, /The API key is empty/],
  [{ apiKey: 'a\nb' }, /contains invalid characters/],
  [{ apiKey: 'schlüssel' }, /contains invalid characters/],
  [{ timeoutMs: NaN }, /timeoutMs must be a number/],
  [{ timeoutMs: 0 }, /timeoutMs must be a number/],
  [{ timeoutMs: Infinity }, /timeoutMs must be a number/],
])('refuses the options %j, and does not show the key: %s', (options, sentence) => {
  expect(make(options)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  expect(make(options)).toThrow(sentence);
  expect(make(options)).not.toThrow('schlüssel');
});
