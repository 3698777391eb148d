import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { API_PATH, BRAND, headerNames } from '@qr-service/core/connector';
import { EVENT_TYPES } from '@qr-service/core';
import { CONTROL_ROUTES, type ControlRoute } from '../../../packages/emulator/src/http/control/routes.ts';
import { HOSTILE_BODIES, PROTOTYPE_NAMES } from './bodies.ts';
import type { HostileRequest } from './flood.ts';
import { ASCII, ODD_HEADERS } from './headers.ts';
import type { RawHeader, RawRequest } from './rawRequest.ts';

/** The emulator under attack. */
interface EmulatorContext {
  host: string;
  apiKey: string;
  /** ID of a published code. */
  qrId: string;
  slug: string;
}

type EmulatorRequest = HostileRequest<EmulatorContext>;

const API_KEY_HEADER = headerNames(BRAND.headerPrefix).apiKey;

/** Hostile values for IDs, slugs and parameters, encoded for a request line. */
const ODD_TEXT = fc.oneof(
  ASCII.map((text) => encodeURIComponent(text)),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.constantFrom(...PROTOTYPE_NAMES),
  fc.constantFrom(
    '%',
    '%00',
    '%E0%A4%A',
    '%ff',
    '..',
    '%2e%2e%2f',
    '0',
    '-1',
    'NaN',
    '1e999',
    '9'.repeat(400),
  ),
  fc.constantFrom("' OR 1=1 --", '"; DROP TABLE codes', '${7*7}', '<script>').map(encodeURIComponent),
);

const query = fc
  .array(
    fc.tuple(
      fc.constantFrom('limit', 'cursor', 'since', 'updatedSince', 'format', 'size', ...PROTOTYPE_NAMES),
      fc.oneof(
        ODD_TEXT,
        fc.constantFrom('png', 'svg', 'pdf', '50', '4096', '2026-01-01T00:00:00Z', '+275760-09-13T00:00:00Z'),
        fc.object().map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
      ),
    ),
    { maxLength: 6 },
  )
  .map((entries) => entries.map(([name, value]) => `${name}=${value}`).join('&'));

/** Headers with or without the API key, in all variants. */
const keyHeaders = fc.oneof(
  { weight: 6, arbitrary: fc.constant((key: string): RawHeader[] => [['Authorization', `Bearer ${key}`]]) },
  { weight: 1, arbitrary: fc.constant((key: string): RawHeader[] => [[API_KEY_HEADER, key]]) },
  {
    weight: 1,
    arbitrary: fc.constant((key: string): RawHeader[] => [
      [API_KEY_HEADER, key],
      [API_KEY_HEADER, key],
    ]),
  },
  { weight: 1, arbitrary: fc.constant((): RawHeader[] => []) },
  { weight: 2, arbitrary: ASCII.map((text) => (): RawHeader[] => [['Authorization', `Bearer ${text}`]]) },
);

const host = fc.oneof(
  { weight: 12, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      'attacker.example',
      '[::1',
      '%',
      'localhost:99999',
      'a b',
      '127.0.0.1:1/x',
      '@',
      '__proto__',
    ),
  },
);

const verb = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('GET', 'POST') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...'PUT PATCH DELETE HEAD OPTIONS TRACE PROPFIND CONNECT XYZZY'.split(' ')),
  },
);

/** An API body with one hostile field. */
const fields = fc
  .tuple(
    fc.constantFrom(
      {
        name: 'Table 4',
        mode: 'dynamic',
        contentType: 'url',
        content: { targetUrl: 'https://example.com/' },
      },
      { url: 'https://example.com/' },
      { url: 'https://hooks.example.com/', eventTypes: ['qr.created'] },
    ),
    fc.constantFrom('name', 'mode', 'contentType', 'content', 'url', 'eventTypes', '__proto__'),
    fc.oneof(
      fc.jsonValue(),
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.constantFrom(
        'javascript:alert(1)',
        'https://[::1',
        `https://${'a'.repeat(3000)}`,
        'http://\u0000',
        'https://e/\ud800',
      ),
    ),
  )
  .map(([whole, name, value]) => ({
    name: 'fields',
    headers: [['Content-Type', 'application/json']] as RawHeader[],
    bytes: Buffer.from(JSON.stringify({ ...whole, [name]: value })),
  }));

const body = fc.oneof({ weight: 2, arbitrary: HOSTILE_BODIES }, { weight: 3, arbitrary: fields });

const idempotency = fc.oneof(
  { weight: 3, arbitrary: fc.constant<RawHeader[]>([]) },
  {
    weight: 1,
    arbitrary: fc
      .oneof(ASCII, fc.constantFrom('', 'x'.repeat(300), 'same'))
      .map((key): RawHeader[] => [['Idempotency-Key', key]]),
  },
);

const endpoint = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ['GET', '/me'],
      ['GET', '/qr'],
      ['POST', '/qr'],
      ['GET', '/scans'],
      ['POST', '/webhooks'],
      ['GET', '/qr/{id}'],
      ['POST', '/qr/{id}/publish'],
      ['GET', '/qr/{id}/image'],
      ['POST', '/qr/{id}/destination'],
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      verb,
      ODD_TEXT.chain((text) =>
        fc.constantFrom(`/qr/${text}`, `/qr/${text}/image`, `/workspaces/${text}/qr`, `/${text}`),
      ),
    ),
  },
);

const api: fc.Arbitrary<EmulatorRequest> = fc
  .tuple(endpoint, query, keyHeaders, ODD_HEADERS, idempotency, body, fc.constantFrom('length', 'chunked'))
  .map(([[method, path], search, key, odd, idempotencyHeaders, { name, headers, bytes }, framing]) => ({
    kind: method === 'POST' ? `API: POST, ${name}` : `API: ${method}`,
    build: (context) =>
      requestTo(context, method, `${API_PATH}${path.replace('{id}', context.qrId)}?${search}`, {
        headers: [...key(context.apiKey), ...headers, ...odd, ...idempotencyHeaders],
        ...(method === 'GET' ? {} : { body: bytes, framing: framing }),
      }),
  }));

/**
 * The fuzzed routes of the control API. Left out: routes that wait, that return 5xx on purpose, or that reset or fill
 * the whole emulator, which its owner is allowed to do.
 */
const CONTROLS = CONTROL_ROUTES.filter(
  ({ method, path }) =>
    path !== '/settled' &&
    !(method === 'POST' && ['/faults', '/delivery-faults', '/snapshots', '/reset'].includes(path)) &&
    !(method === 'PUT' && path === '/wire-shape'),
);

const controlValue = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    ...['+275760-09-13T00:00:00.000Z', '-271821-04-20T00:00:00.000Z', 8.64e15, -8.64e15, 1e300, -1, 3e12],
    ...[['::/999'], ['a/b'], ['qr:read'], [1], '2026-01-01T00:00:00Z', 'qr.created', 'x'.repeat(100_000)],
  ),
);

/** JSON for a route with arbitrary field values, or an event with arbitrary data. */
function controlBody({ body = {} }: ControlRoute): fc.Arbitrary<string> {
  const names = Object.keys({ ...body.required, ...body.optional });
  if (names.includes('data'))
    return fc
      .tuple(
        fc.constantFrom(...EVENT_TYPES),
        fc.oneof(
          fc.object().map((data) => JSON.stringify(data)),
          fc.constantFrom('{"a":', '{"a":[').map((open) => nested(open, 50_000)),
        ),
      )
      .map(([type, data]) => `{"type":"${type}","data":${data}}`);
  if (names.length === 0) return fc.json();
  return fc
    .dictionary(fc.constantFrom(...names, ...names, ...names, '__proto__'), controlValue, { maxKeys: 2 })
    .map((value) => JSON.stringify(value));
}

const control: fc.Arbitrary<EmulatorRequest> = fc.constantFrom(...CONTROLS).chain((route) =>
  fc
    .tuple(
      ODD_TEXT,
      fc.boolean(),
      fc.oneof(
        { weight: 3, arbitrary: controlBody(route).map((text) => Buffer.from(text)) },
        { weight: 1, arbitrary: HOSTILE_BODIES.map(({ bytes }) => bytes) },
      ),
      ODD_HEADERS,
    )
    .map(([text, isKnown, bytes, odd]) => ({
      kind: `control: ${route.method} ${route.path}`,
      build(context) {
        const id = isKnown && route.method !== 'DELETE' ? context.qrId : text;
        return requestTo(context, route.method, `/_emulator${route.path.replace(':id', id)}`, {
          headers: odd,
          body: bytes,
        });
      },
    })),
);

const redirect: fc.Arbitrary<EmulatorRequest> = fc
  .tuple(
    verb,
    fc.oneof(fc.constant(undefined), ODD_TEXT),
    query,
    ODD_HEADERS,
    ASCII,
    fc.string({ unit: 'binary', maxLength: 40 }),
  )
  .map(([method, slug, search, odd, agent, country]) => ({
    kind: 'short link',
    build: (context) =>
      requestTo(context, method, `/r/${slug ?? context.slug}?${search}`, {
        headers: [
          ['User-Agent', agent],
          ['CF-IPCountry', country.replace(/[^\x20-\x7e]/g, '')],
          ['Referer', agent],
          ...odd,
        ],
      }),
  }));

const inspector: fc.Arbitrary<EmulatorRequest> = fc
  .tuple(
    fc.constantFrom('GET', 'POST'),
    fc.constantFrom(
      ...['', 'requests/{x}', 'codes', 'codes/{x}', 'deliveries', 'deliveries/{x}', 'subscriptions/{x}'],
      ...['scans', 'faults', 'live', 'assets/{x}'],
    ),
    ODD_TEXT,
    query,
    HOSTILE_BODIES,
    ODD_HEADERS,
  )
  .map(([method, path, text, search, { headers, bytes }, odd]) => ({
    kind: 'inspector',
    build: (context) =>
      requestTo(context, method, `/${path.replace('{x}', text)}?${search}`, {
        headers: [['Origin', `http://${context.host}`], ...headers, ...odd],
        ...(method === 'GET' ? {} : { body: bytes }),
      }),
  }));

const requestLine: fc.Arbitrary<EmulatorRequest> = fc
  .tuple(
    fc.constantFrom(
      '*',
      'http://attacker.example/v1',
      'http://[/',
      '//x/y',
      '/\\x',
      '?',
      '/'.repeat(5000),
      '/%',
      '',
      `/${'a'.repeat(20_000)}`,
    ),
    host,
    verb,
  )
  .map(([target, name, method]) => ({
    kind: 'request line and Host',
    build: (context) => ({
      ...requestTo(context, method, target, {}),
      headers: [['Host', name ?? context.host]],
    }),
  }));

const unread: fc.Arbitrary<EmulatorRequest> = fc
  .tuple(fc.constantFrom(0, 5, 1e6, 1e15), fc.constantFrom(`${API_PATH}/qr`, '/_emulator/events', '/r/x'))
  .map(([length, target]) => ({
    kind: 'wrong length',
    build: (context) =>
      requestTo(context, 'POST', target, {
        headers: [['Authorization', `Bearer ${context.apiKey}`]],
        body: Buffer.from(JSON.stringify({ name: randomUUID() })),
        framing: length,
      }),
  }));

/** Everything that a client can send to the emulator, with or without a key. */
export const EMULATOR_REQUESTS: fc.Arbitrary<EmulatorRequest> = fc.oneof(
  { weight: 10, arbitrary: api },
  { weight: 5, arbitrary: control },
  { weight: 3, arbitrary: redirect },
  { weight: 3, arbitrary: inspector },
  { weight: 1, arbitrary: requestLine },
  { weight: 1, arbitrary: unread },
);

function requestTo(
  { host: own }: EmulatorContext,
  method: string,
  target: string,
  { headers = [], ...rest }: Partial<RawRequest>,
): RawRequest {
  return { method, target, headers: [['Host', own], ...headers], ...rest };
}

/** JSON with this many levels, each starting with `open`. */
function nested(open: string, levels: number): string {
  const close = Array.from(open)
    .reverse()
    .map((mark) => ({ '{': '}', '[': ']' })[mark] ?? '');
  return `${open.repeat(levels)}1${close.join('').repeat(levels)}`;
}
