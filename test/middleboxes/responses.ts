import { gzipSync } from 'node:zlib';
import {
  CODE,
  cutBody,
  hangUp,
  status,
  type RequestHandler,
} from '../support/faultyService/faultyService.ts';

/** Fixed time of these tests. */
export const NOW = Date.parse('2026-01-01T00:00:00.000Z');

const JSON_TYPE = { 'Content-Type': 'application/json' };
const HTML = { 'Content-Type': 'text/html; charset=UTF-8', Server: 'nginx' };
const PAGE = '<!DOCTYPE html><html><head><title>Oops</title></head><body><h1>Oops</h1></body></html>';

const page = (code: number, headers = {}) => status(code, { ...HTML, ...headers }, PAGE);
const gzipped =
  (code: number, body: Buffer, headers: Record<string, string>): RequestHandler =>
  (_request, response) =>
    response.writeHead(code, { ...headers, 'Content-Encoding': 'gzip' }).end(body);

const LATER = 'Wait a few minutes, then';
const IN_TWO_MINUTES = 'Wait 120 seconds, then';
const ALLOW = 'ask whoever manages the proxy or firewall to allow requests to the service';
const DATE = { 'Retry-After': new Date(NOW + 120_000).toUTCString() };
const SIGN_IN = 'Basic realm="Office"';

/** A code of an error with which a connection fails before there is a response. */
export type ConnectionError = 'CERT_HAS_EXPIRED' | 'ENOTFOUND';

/** What happens between the connector and the service, what the error says in the words of every platform, and whether it is retried. */
export const FAILURES: [
  what: string,
  reply: RequestHandler | ConnectionError,
  says: string,
  isRetried: boolean,
][] = [
  ["a CDN's 520 page", page(520, { Server: 'cloudflare' }), LATER, true],
  ['a certificate that has expired', 'CERT_HAS_EXPIRED', "of 127.0.0.1 isn't trusted", false],
  ["a firewall's 403 page", page(403, { 'CF-Mitigated': 'challenge' }), ALLOW, false],
  ["a proxy's sign-in 401 page", page(401, { 'WWW-Authenticate': SIGN_IN }), ALLOW, false],
  ["a proxy's sign-in 407 page", page(407, { 'Proxy-Authenticate': SIGN_IN }), ALLOW, false],
  ["a web host's 404 page", page(404), ALLOW, false],
  ["a CDN's dated 429 page", page(429, DATE), IN_TWO_MINUTES, false],
  ["a CDN's dated 503 page", page(503, DATE), IN_TWO_MINUTES, false],
  ["a load balancer's empty 502", status(502, { 'Content-Length': '0' }), LATER, true],
  ["a proxy's 502 page in gzip", gzipped(502, gzipSync(PAGE), HTML), LATER, true],
  [
    'a 301 to a login page',
    page(301, { Location: 'https://login.example/?to=qr' }),
    'to login.example',
    false,
  ],
  ["a captive portal's 200 page", page(200), "The response didn't come from the service", true],
  ['a closed connection', hangUp, '127.0.0.1 could not be reached', true],
  ['an unknown host', 'ENOTFOUND', '127.0.0.1 could not be reached (ENOTFOUND)', true],
  [
    'JSON that ends too early',
    status(200, JSON_TYPE, '{"id":"qr_1","na'),
    "The response was cut off or isn't valid JSON",
    true,
  ],
];

/** Responses that are cut off. */
export const TRUNCATED: [name: string, RequestHandler][] = [
  ['with a Content-Length', cutBody],
  ['in gzip, at its start', gzipped(200, gzipSync('{}').subarray(0, 10), { 'Content-Length': '10' })],
  ['in chunks', (request, response) => response.write('{"id":"qr_1","na', () => request.socket.destroy())],
];

const OWN = JSON.stringify(CODE);

/** Valid responses of the service, as transformed by a proxy. */
export const HARMLESS: [name: string, RequestHandler][] = [
  [
    'compressed with gzip, if the request accepts that',
    (request, response, body) => {
      const isAccepted = String(request.headers['accept-encoding']).includes('gzip');
      const reply = isAccepted ? gzipped(200, gzipSync(OWN), JSON_TYPE) : status(200, JSON_TYPE, OWN);
      reply(request, response, body);
    },
  ],
  [
    'sent in chunks',
    (_request, response) => response.write(OWN.slice(0, 9), () => response.end(OWN.slice(9))),
  ],
];
