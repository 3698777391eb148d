import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type nock from 'nock';
import type { ErrorWords } from '@qr-service/core/connector';
import { CODE } from '../support/faultyService/faultyService.ts';

/** Fixed time of these tests. */
export const NOW = Date.parse('2026-01-01T00:00:00.000Z');

/** Defines the response to a request. */
type Reply = (to: nock.Interceptor) => nock.Scope;

/** A failure caused between the connector and the service. */
export interface Failure {
  name: string;
  reply: Reply;
  /** Error text shown to the user, in the platform's words. */
  text: (words: ErrorWords) => string;
  /** Details for support, shown at the end or under the error's details. */
  reference?: string;
  /** The error's `code`. */
  code: string;
  isRetried: boolean;
  /** Whether the response names a retry time, for which Zapier waits. */
  hasRetryTime?: boolean;
}

const HTML = { 'Content-Type': 'text/html; charset=UTF-8' };

function page(title: string): string {
  return `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;
}

type Advice = (words: ErrorWords) => string;

const INSTEAD = 'A proxy, firewall or sign-in page may have responded instead';

/** The error for a response that isn't from the service. */
function notFromService(reference: string, advice: Advice): Pick<Failure, 'text' | 'reference'> {
  return {
    text: (words) => `The response didn't come from the service. ${INSTEAD}. ${advice(words)}`,
    reference,
  };
}

/** The error for a page in place of a successful response. */
function notJson(seen: string): Pick<Failure, 'text'> {
  return {
    text: (words) => `The response didn't come from the service. ${INSTEAD} (${seen}). ${CHECK(words)}`,
  };
}

const LATER: Advice = ({ rerun }) => `Wait a few minutes, then ${rerun}.`;
const ALLOW: Advice = ({ credential }) =>
  `Check Base URL in the ${credential}. If it is correct, ask whoever manages the proxy or firewall to allow requests to the service.`;
const CHECK: Advice = ({ credential, rerun }) =>
  `Check Base URL in the ${credential} and that the service is up, then ${rerun}.`;
const IN_TWO_MINUTES = new Date(NOW + 120_000).toUTCString();

const CDN_STATUSES = {
  520: 'Web server is returning an unknown error',
  521: 'Web server is down',
  522: 'Connection timed out',
  523: 'Origin is unreachable',
  524: 'A timeout occurred',
  525: 'SSL handshake failed',
  526: 'Invalid SSL certificate',
};

const cdn = Object.entries(CDN_STATUSES).map(([status, title]): Failure => {
  const headers = { ...HTML, Server: 'cloudflare', 'CF-RAY': '8f0000000000abcd-FRA' };
  return {
    name: `a CDN's ${status} page`,
    reply: (to) => to.reply(Number(status), page(`qr.example | ${status}: ${title}`), headers),
    ...notFromService(`status ${status}, text/html, from cloudflare`, LATER),
    code: `http_${status}`,
    isRetried: true,
  };
});

const loadBalancer = [502, 503, 504].flatMap((status): Failure[] => [
  {
    name: `a load balancer's ${status} page`,
    reply: (to) => to.reply(status, page(`${status}`), { ...HTML, Server: 'awselb/2.0' }),
    ...notFromService(`status ${status}, text/html, from awselb`, LATER),
    code: `http_${status}`,
    isRetried: true,
  },
  {
    name: `a load balancer's empty ${status}`,
    reply: (to) => to.reply(status, undefined, { 'Content-Length': '0' }),
    ...notFromService(`status ${status}, no content type`, LATER),
    code: `http_${status}`,
    isRetried: true,
  },
]);

const rejections: Failure[] = [
  {
    name: "a firewall's 403 challenge",
    reply: (to) =>
      to.reply(403, page('Just a moment...'), { ...HTML, Server: 'cloudflare', 'CF-Mitigated': 'challenge' }),
    ...notFromService('status 403, text/html, from cloudflare', ALLOW),
    code: 'http_403',
    isRetried: false,
  },
  {
    name: "a proxy's 401 sign-in page",
    reply: (to) =>
      to.reply(401, page('Sign in'), {
        ...HTML,
        Server: 'nginx',
        'WWW-Authenticate': 'Basic realm="Office"',
      }),
    ...notFromService('status 401, text/html, from nginx', ALLOW),
    code: 'http_401',
    isRetried: false,
  },
  {
    name: "a web host's 404 page",
    reply: (to) => to.reply(404, page('Not found'), { ...HTML, Server: 'Apache/2.4.62 (Debian)' }),
    ...notFromService('status 404, text/html, from Apache', ALLOW),
    code: 'http_404',
    isRetried: false,
  },
  {
    name: "a proxy's 407",
    reply: (to) =>
      to.reply(407, page('Access denied'), {
        ...HTML,
        Server: 'squid/6.6',
        'Proxy-Authenticate': 'Basic realm="Office"',
      }),
    ...notFromService('status 407, text/html, from squid', ALLOW),
    code: 'http_407',
    isRetried: false,
  },
  {
    name: "a proxy's 413",
    reply: (to) => to.reply(413, page('413 Request Entity Too Large'), { ...HTML, Server: 'nginx/1.27.3' }),
    ...notFromService('status 413, text/html, from nginx', ALLOW),
    code: 'http_413',
    isRetried: false,
  },
  {
    name: 'a 301 to a login page',
    reply: (to) => to.reply(301, page('Moved'), { ...HTML, Location: 'https://login.example/?to=qr' }),
    text: ({ credential }) =>
      `The request was redirected to login.example. Redirects aren't followed, so the API key wasn't sent there. Check Base URL in the ${credential}: it must be the final URL of the API. If it is correct, a sign-in page of your network may be in the way.`,
    code: 'redirect',
    isRetried: false,
  },
];

const rateLimited: Failure[] = [429, 503].map((status) => ({
  name: `a CDN's ${status} page with a date in Retry-After`,
  reply: (to) =>
    to.reply(status, page('Slow down'), { ...HTML, Server: 'cloudflare', 'Retry-After': IN_TWO_MINUTES }),
  ...notFromService(
    `status ${status}, text/html, from cloudflare`,
    ({ rerun }) => `Wait 120 seconds, then ${rerun}.`,
  ),
  code: `http_${status}`,
  isRetried: false,
  hasRetryTime: true,
}));

const unreadable: Failure[] = [
  {
    name: "a firewall's 200 challenge",
    reply: (to) => to.reply(200, page('Just a moment...'), { ...HTML, Server: 'cloudflare' }),
    ...notJson('status 200, text/html, from cloudflare'),
    code: 'network',
    isRetried: true,
  },
  {
    name: "a captive portal's 200 page",
    reply: (to) => to.reply(200, page('Welcome to our Wi-Fi'), HTML),
    ...notJson('status 200, text/html'),
    code: 'network',
    isRetried: true,
  },
  {
    name: "a proxy's 502 page in gzip",
    reply: (to) =>
      to.reply(502, () => gzipSync(page('Bad gateway')), {
        ...HTML,
        Server: 'nginx',
        'Content-Encoding': 'gzip',
      }),
    ...notFromService('status 502, text/html, from nginx', LATER),
    code: 'http_502',
    isRetried: true,
  },
  {
    name: 'JSON that ends too early',
    reply: (to) => to.reply(200, '{"id":"qr_1","na', { 'Content-Type': 'application/json' }),
    text: (words) => `The response was cut off or isn't valid JSON. ${CHECK(words)}`,
    code: 'network',
    isRetried: true,
  },
];

/** By Node.js error code. */
const unreachable = ['ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN'].map((code): Failure => ({
  name: `a connection that fails with ${code}`,
  reply: (to) => to.replyWithError(errorWithCode(code)),
  text: (words) => `qr.example could not be reached (${code}). ${CHECK(words)}`,
  code: 'network',
  isRetried: true,
}));

const untrusted = [
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
].map((code): Failure => ({
  name: `a certificate that fails with ${code}`,
  reply: (to) => to.replyWithError(errorWithCode(code)),
  text: ({ credential }) =>
    `The certificate of qr.example isn't trusted (${code}). Check Base URL in the ${credential}. If it is correct, ask whoever manages your network or the server: its certificate may have expired, or a proxy may have replaced it.`,
  code: 'certificate',
  isRetried: false,
}));

function errorWithCode(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Failures that the service does not cause. */
export const FAILURES: Failure[] = [
  ...cdn,
  ...loadBalancer,
  ...rejections,
  ...rateLimited,
  ...unreadable,
  ...unreachable,
  ...untrusted,
];

/** Responses that are cut off. */
export const TRUNCATED: [name: string, Reply][] = [
  [
    'with a Content-Length',
    (to) => to.reply(200, truncatedBody, { 'Content-Type': 'application/json', 'Content-Length': '500' }),
  ],
  [
    'in gzip, at its start',
    (to) =>
      to.reply(200, () => gzipSync('{}').subarray(0, 10), {
        'Content-Encoding': 'gzip',
        'Content-Length': '10',
      }),
  ],
  ['in chunks', (to) => to.reply(200, truncatedBody, { 'Content-Type': 'application/json' })],
];

function truncatedBody(): Readable {
  return Readable.from(
    (async function* () {
      yield Buffer.from('{"id":"qr_1","na');
      await Promise.resolve();
      throw errorWithCode('ECONNRESET');
    })(),
  );
}

/** Valid responses of the service, as transformed by a proxy. */
export const HARMLESS: [name: string, Reply][] = [
  [
    'compressed with gzip, if the request accepts that',
    (to) =>
      to.reply((request: Request) => {
        const json = ownJson(request);
        return request.headers.get('Accept-Encoding')?.includes('gzip') === true
          ? [200, gzipSync(json), { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }]
          : [200, json, { 'Content-Type': 'application/json' }];
      }),
  ],
  [
    'sent in chunks',
    (to) =>
      to.reply(
        200,
        (request: Request) => {
          const json = ownJson(request);
          return Readable.from([json.slice(0, 9), json.slice(9)]);
        },
        { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' },
      ),
  ],
];

/** Body of a valid response: a list or a code. */
function ownJson(request: Request): string {
  const isList = new URL(request.url).pathname.endsWith('/qr');
  return JSON.stringify(isList ? { data: [CODE], pagination: {} } : CODE);
}
