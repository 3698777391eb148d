import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type nock from 'nock';
import { CODE } from '../support/faultyService/faultyService.ts';

/** Fixed time of these tests. */
export const NOW = Date.parse('2026-01-01T00:00:00.000Z');

/** Defines the response to a request. */
type Reply = (to: nock.Interceptor) => nock.Scope;

/** A failure caused between the connector and the service. */
interface Failure {
  name: string;
  reply: Reply;
  /** The error's text, with what to do. */
  text: string;
  code: string;
  isRetried: boolean;
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const HTML = { 'Content-Type': 'text/html; charset=UTF-8' };
const PAGE = '<!DOCTYPE html><html><head><title>Oops</title></head><body><h1>Oops</h1></body></html>';

const FOREIGN =
  "The response didn't come from the service. A proxy, firewall or sign-in page may have responded instead";
const LATER = 'Wait a few minutes, then retry.';
const IN_TWO_MINUTES = 'Wait 120 seconds, then retry.';
const ALLOW =
  'Check Base URL in the settings. If it is correct, ask whoever manages the proxy or firewall to allow requests to the service.';
const CHECK = 'Check Base URL in the settings and that the service is up, then retry.';

const DATE = { 'Retry-After': new Date(NOW + 120_000).toUTCString() };
const SIGN_IN = 'Basic realm="Office"';

/** Error pages: whose, the status, the Server header, what to do, and other headers. */
const PAGES: [whose: string, status: number, server: string, advice: string, headers?: object][] = [
  ["a CDN's", 520, 'cloudflare', LATER],
  ["a CDN's", 526, 'cloudflare', LATER],
  ["a load balancer's", 504, 'awselb/2.0', LATER],
  ["a firewall's", 403, 'cloudflare', ALLOW, { 'CF-Mitigated': 'challenge' }],
  ["a proxy's sign-in", 401, 'nginx', ALLOW, { 'WWW-Authenticate': SIGN_IN }],
  ["a web host's", 404, 'Apache/2.4.62 (Debian)', ALLOW],
  ["a proxy's", 407, 'squid/6.6', ALLOW, { 'Proxy-Authenticate': SIGN_IN }],
  ["a CDN's dated", 429, 'cloudflare', IN_TWO_MINUTES, DATE],
  ["a CDN's dated", 503, 'cloudflare', IN_TWO_MINUTES, DATE],
];

const pages = PAGES.map(([whose, status, server, advice, headers]): Failure => ({
  name: `${whose} ${status} page`,
  reply: (to) => to.reply(status, PAGE, { ...HTML, Server: server, ...headers }),
  text: `${FOREIGN}. ${advice} (status ${status}, text/html, from ${server.split('/')[0]})`,
  code: `http_${status}`,
  isRetried: advice === LATER,
}));

const withCode = (code: string) => Object.assign(new Error(code), { code });

const unreachable = ['ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN'].map((code): Failure => ({
  name: `a connection that fails with ${code}`,
  reply: (to) => to.replyWithError(withCode(code)),
  text: `qr.example could not be reached (${code}). ${CHECK}`,
  code: 'network',
  isRetried: true,
}));

/** A certificate that isn't trusted. */
export const UNTRUSTED: Failure = {
  name: 'a certificate that has expired',
  reply: (to) => to.replyWithError(withCode('CERT_HAS_EXPIRED')),
  text: "The certificate of qr.example isn't trusted (CERT_HAS_EXPIRED). Check Base URL in the settings. If it is correct, ask whoever manages your network or the server: its certificate may have expired, or a proxy may have replaced it.",
  code: 'certificate',
  isRetried: false,
};

/** Failures that the service does not cause. */
export const FAILURES: Failure[] = [
  ...pages,
  ...unreachable,
  UNTRUSTED,
  {
    name: "a load balancer's empty 502",
    reply: (to) => to.reply(502, undefined, { 'Content-Length': '0' }),
    text: `${FOREIGN}. ${LATER} (status 502, no content type)`,
    code: 'http_502',
    isRetried: true,
  },
  {
    name: "a proxy's 502 page in gzip",
    reply: (to) =>
      to.reply(502, () => gzipSync(PAGE), { ...HTML, Server: 'nginx', 'Content-Encoding': 'gzip' }),
    text: `${FOREIGN}. ${LATER} (status 502, text/html, from nginx)`,
    code: 'http_502',
    isRetried: true,
  },
  {
    name: 'a 301 to a login page',
    reply: (to) => to.reply(301, PAGE, { ...HTML, Location: 'https://login.example/?to=qr' }),
    text: "The request was redirected to login.example. Redirects aren't followed, so the API key wasn't sent there. Check Base URL in the settings: it must be the final URL of the API. If it is correct, a sign-in page of your network may be in the way.",
    code: 'redirect',
    isRetried: false,
  },
  {
    name: "a captive portal's 200 page",
    reply: (to) => to.reply(200, PAGE, { ...HTML, Server: 'cloudflare' }),
    text: `${FOREIGN} (status 200, text/html, from cloudflare). ${CHECK}`,
    code: 'network',
    isRetried: true,
  },
  {
    name: 'JSON that ends too early',
    reply: (to) => to.reply(200, '{"id":"qr_1","na', JSON_TYPE),
    text: `The response was cut off or isn't valid JSON. ${CHECK}`,
    code: 'network',
    isRetried: true,
  },
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
  [
    'sent in chunks',
    (to) =>
      to.reply(200, () => Readable.from([OWN.slice(0, 9), OWN.slice(9)]), {
        ...JSON_TYPE,
        'Transfer-Encoding': 'chunked',
      }),
  ],
];
