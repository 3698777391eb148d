import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type nock from 'nock';
import { CODE } from '../support/faultyService/faultyService.ts';

/** Fixed time of these tests. */
export const NOW = Date.parse('2026-01-01T00:00:00.000Z');

/** Defines the response to a request. */
type Reply = (to: nock.Interceptor) => nock.Scope;

const JSON_TYPE = { 'Content-Type': 'application/json' };
const HTML = { 'Content-Type': 'text/html; charset=UTF-8', Server: 'nginx' };
const PAGE = '<!DOCTYPE html><html><head><title>Oops</title></head><body><h1>Oops</h1></body></html>';

const page =
  (status: number, headers = {}): Reply =>
  (to) =>
    to.reply(status, PAGE, { ...HTML, ...headers });
const withCode = (code: string) => Object.assign(new Error(code), { code });
const failing =
  (code: string): Reply =>
  (to) =>
    to.replyWithError(withCode(code));

const LATER = 'Wait a few minutes, then';
const IN_TWO_MINUTES = 'Wait 120 seconds, then';
const ALLOW = 'ask whoever manages the proxy or firewall to allow requests to the service';
const DATE = { 'Retry-After': new Date(NOW + 120_000).toUTCString() };
const SIGN_IN = 'Basic realm="Office"';

/** What happens between the connector and the service, what the error says in the words of every platform, and whether it is retried. */
export const FAILURES: [what: string, reply: Reply, says: string, isRetried: boolean][] = [
  ["a CDN's 520 page", page(520, { Server: 'cloudflare' }), LATER, true],
  ['a certificate that has expired', failing('CERT_HAS_EXPIRED'), "of qr.example isn't trusted", false],
  ["a firewall's 403 page", page(403, { 'CF-Mitigated': 'challenge' }), ALLOW, false],
  ["a proxy's sign-in 401 page", page(401, { 'WWW-Authenticate': SIGN_IN }), ALLOW, false],
  ["a proxy's sign-in 407 page", page(407, { 'Proxy-Authenticate': SIGN_IN }), ALLOW, false],
  ["a web host's 404 page", page(404), ALLOW, false],
  ["a CDN's dated 429 page", page(429, DATE), IN_TWO_MINUTES, false],
  ["a CDN's dated 503 page", page(503, DATE), IN_TWO_MINUTES, false],
  ["a load balancer's empty 502", (to) => to.reply(502, undefined, { 'Content-Length': '0' }), LATER, true],
  [
    "a proxy's 502 page in gzip",
    (to) => to.reply(502, () => gzipSync(PAGE), { ...HTML, 'Content-Encoding': 'gzip' }),
    LATER,
    true,
  ],
  [
    'a 301 to a login page',
    page(301, { Location: 'https://login.example/?to=qr' }),
    'to login.example',
    false,
  ],
  ["a captive portal's 200 page", page(200), "The response didn't come from the service", true],
  ['a reset connection', failing('ECONNRESET'), 'qr.example could not be reached (ECONNRESET)', true],
  ['an unknown host', failing('ENOTFOUND'), 'qr.example could not be reached (ENOTFOUND)', true],
  [
    'JSON that ends too early',
    (to) => to.reply(200, '{"id":"qr_1","na', JSON_TYPE),
    "The response was cut off or isn't valid JSON",
    true,
  ],
];

/** Responses that are cut off. */
export const TRUNCATED: [name: string, Reply][] = [
  ['with a Content-Length', (to) => to.reply(200, truncatedBody, { ...JSON_TYPE, 'Content-Length': '500' })],
  [
    'in gzip, at its start',
    (to) =>
      to.reply(200, () => gzipSync('{}').subarray(0, 10), {
        'Content-Encoding': 'gzip',
        'Content-Length': '10',
      }),
  ],
  ['in chunks', (to) => to.reply(200, truncatedBody, JSON_TYPE)],
];

function truncatedBody(): Readable {
  return Readable.from(
    (async function* () {
      yield Buffer.from('{"id":"qr_1","na');
      await Promise.resolve();
      throw withCode('ECONNRESET');
    })(),
  );
}

const OWN = JSON.stringify(CODE);
const CHUNKED = { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' };

/** Valid responses of the service, as transformed by a proxy. */
export const HARMLESS: [name: string, Reply][] = [
  [
    'compressed with gzip, if the request accepts that',
    (to) =>
      to.reply(({ headers }: Request) =>
        headers.get('Accept-Encoding')?.includes('gzip') === true
          ? [200, gzipSync(OWN), { ...JSON_TYPE, 'Content-Encoding': 'gzip' }]
          : [200, OWN, JSON_TYPE],
      ),
  ],
  ['sent in chunks', (to) => to.reply(200, () => Readable.from([OWN.slice(0, 9), OWN.slice(9)]), CHUNKED)],
];
