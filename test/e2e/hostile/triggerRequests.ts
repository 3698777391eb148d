import { createHmac, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { BRAND, headerNames, LIMITS } from '@qr-service/core/connector';
import { sampleEvent } from '@qr-service/core/webhook';
import { signWebhook } from '@qr-service/core';
import { HOSTILE_BODIES, PROTOTYPE_NAMES } from './bodies.ts';
import type { HostileRequest } from './flood.ts';
import { ASCII, ODD_HEADERS } from './headers.ts';
import type { RawHeader, RawRequest } from './rawRequest.ts';

/** The trigger under attack, with secrets that attackers would not know. */
export interface TriggerContext {
  /** Path of its webhook. */
  path: string;
  /** Its signing secret. Requests signed with it must be rejected for another reason. */
  secret: string;
  /** Signing secret of another subscription in the same workspace. */
  otherSecret: string;
  /** Returns a recent genuine delivery. */
  capture: () => { body: string; headers: Readonly<Record<string, string>> };
}

/** Kinds of requests that may be acknowledged, as long as they start no execution. */
export const MAY_BE_ACKNOWLEDGED = new Set(['replayed at once', 'other method', 'other path']);

const NAMES = headerNames(BRAND.headerPrefix);
const JSON_TYPE: RawHeader = ['Content-Type', 'application/json'];
const TOLERANCE = LIMITS.signatureToleranceSeconds;

const nowSeconds = () => Math.floor(Date.now() / 1000);
/** A body that would start the workflow if it were signed: a new event of a subscribed type. */
const event = () => JSON.stringify({ ...sampleEvent('qr.created'), id: `evt_hostile_${randomUUID()}` });

const hmac = (secret: string, text: string | Uint8Array) =>
  createHmac('sha256', secret).update(text).digest('hex');

/** A signature header with the given secret, over a timestamp in any format. */
const signedOver = (secret: string, body: string, timestamp: string) =>
  `t=${timestamp},v1=${hmac(secret, `${timestamp}.${body}`)}`;

const post = (
  { path }: TriggerContext,
  headers: readonly RawHeader[],
  body: string | Uint8Array,
  rest: Partial<RawRequest> = {},
): RawRequest => ({
  method: 'POST',
  target: path,
  headers: [['Host', 'n8n.example.com'], ...headers],
  body: typeof body === 'string' ? Buffer.from(body) : body,
  ...rest,
});

/** A request with a valid event and invalid headers. */
const withHeaders = <Drawn>(
  kind: string,
  drawn: fc.Arbitrary<Drawn>,
  headers: (drawn: Drawn, body: string, context: TriggerContext) => readonly RawHeader[],
): fc.Arbitrary<HostileRequest<TriggerContext>> =>
  drawn.map((value) => ({
    kind,
    build(context) {
      const body = event();
      return post(context, [JSON_TYPE, ...headers(value, body, context)], body);
    },
  }));

/** Valid headers for a body. */
function genuine(secret: string, body: string | Uint8Array, timestamp = nowSeconds()): RawHeader[] {
  return [
    [NAMES.timestamp, String(timestamp)],
    [NAMES.signature, signWebhook({ body, secret, timestamp })],
    [NAMES.delivery, `dlv_hostile_${randomUUID()}`],
    [NAMES.event, 'qr.created'],
  ];
}

const anyHeader = fc.oneof(
  ASCII,
  fc.constantFrom('', ' ', ',', 't=', 'v1=', 't=,v1=', 't=1,v1=0', '=', ',,,'),
);
const junkSignature = withHeaders('any signature header', anyHeader, (value) => [[NAMES.signature, value]]);

const unsigned = withHeaders('no signature header', ODD_HEADERS, (odd) => odd);

const doubled = withHeaders(
  'doubled signature header',
  fc.boolean(),
  (isSame, body, { secret, otherSecret }) => {
    const own = genuine(secret, body);
    const other = genuine(isSame ? secret : otherSecret, body);
    return [...own, ...other.filter(([name]) => name === NAMES.signature)];
  },
);

const twoSpellings = withHeaders('two spellings that disagree', fc.boolean(), (first, body, { secret }) => {
  const forged: RawHeader = [
    `Http-${NAMES.signature}`,
    signWebhook({ body, secret: 'made up', timestamp: nowSeconds() }),
  ];
  return first ? [forged, ...genuine(secret, body)] : [...genuine(secret, body), forged];
});

const nonAscii = withHeaders('signature with wide digits', fc.nat(2), (how, body, { secret }) => {
  const [[, timestamp], [, signature]] = genuine(secret, body) as [RawHeader, RawHeader];
  const tampered =
    [`${signature}\xa0`, signature.replace(/\d$/, '\xb2'), `\xef\xbb\xbf${signature}`][how] ?? '';
  return [
    [NAMES.timestamp, timestamp],
    [NAMES.signature, tampered === signature ? `${signature}\xff` : tampered],
  ];
});

const longSignature = withHeaders(
  'signature header of up to 16 kB',
  fc.integer({ min: 1024, max: 15_000 }),
  (size, body, { secret }) => {
    const [, [name, signature]] = genuine(secret, body) as [RawHeader, RawHeader];
    return [[name, `${signature},${'x'.repeat(size)}=`]];
  },
);

/** Timestamp formats that must be rejected, even when signed with the right secret. */
const ODD_TIMES = [
  (now: number) => `0${now}`,
  (now: number) => `+${now}`,
  (now: number) => `-${now}`,
  (now: number) => `${now}.0`,
  (now: number) => `${now} `,
  (now: number) => `${now}e0`,
  (now: number) => `0x${now.toString(16)}`,
  (now: number) => `${now}n`,
  () => 'NaN',
  () => 'Infinity',
  () => '-1',
  () => '0',
  () => '',
  () => '9'.repeat(13),
  () => '9'.repeat(400),
  () => '1e9',
  () => 'null',
];
const oddTime = withHeaders(
  't= that is not a plain number',
  fc.constantFrom(...ODD_TIMES),
  (write, body, { secret }) => [[NAMES.signature, signedOver(secret, body, write(nowSeconds()))]],
);

const twoTimes = withHeaders('two t=', fc.boolean(), (first, body, { secret }) => {
  const now = nowSeconds();
  const signed = signWebhook({ body, secret, timestamp: now });
  return [[NAMES.signature, first ? `t=1,${signed}` : `${signed},t=${now}`]];
});

const stale = withHeaders(
  'signed too early or too late',
  fc.oneof(
    fc.integer({ min: TOLERANCE + 2, max: 10 * TOLERANCE }),
    fc.integer({ min: TOLERANCE + 2, max: 400 * 86_400 }),
    fc.integer({ min: -400 * 86_400, max: -TOLERANCE - 30 }),
  ),
  (age, body, { secret }) => genuine(secret, body, nowSeconds() - age),
);

const farTimes = withHeaders(
  'signed at the end of time',
  fc.constantFrom(1, 999_999_999_999, 253_402_300_800),
  (timestamp, body, { secret }) => genuine(secret, body, timestamp),
);

const manyV1 = withHeaders('many v1', fc.integer({ min: 1, max: 12 }), (count, body, { secret }) => {
  const now = nowSeconds();
  const wrong = Array.from({ length: count }, (_, index) => `v1=${hmac('wrong', String(index))}`);
  // Nine or more are too many, even if the right one is among them.
  const right = count > 8 ? [`v1=${hmac(secret, `${now}.${body}`)}`] : [];
  return [[NAMES.signature, [`t=${now}`, ...right, ...wrong].join(',')]];
});

const oddV1 = withHeaders(
  'v1 that is not 64 hex digits',
  fc.constantFrom<(hex: string) => string>(
    (hex) => hex.slice(0, 63),
    (hex) => `${hex}0`,
    (hex) => ` ${hex}`,
    (hex) => hex.slice(0, 2),
    (hex) => Buffer.from(hex, 'hex').toString('base64'),
    (hex) => `${hex.slice(0, 62)}zz`,
    (hex) => hex.slice(0, 32).toUpperCase() + hex.slice(32).replace(/\d/g, 'a'),
    () => '',
  ),
  (tamper, body, { secret }) => {
    const now = nowSeconds();
    return [[NAMES.signature, `t=${now},v1=${tamper(hmac(secret, `${now}.${body}`))}`]];
  },
);

const v0Only = withHeaders('V0 alone', fc.boolean(), (withTime, body, { secret }) => [
  [NAMES.signatureV0, hmac(secret, body)],
  ...(withTime ? ([[NAMES.timestamp, String(nowSeconds())]] as const) : []),
]);

const otherTimestamp = withHeaders(
  'timestamp header that disagrees',
  fc
    .oneof(ASCII, fc.constantFrom('NaN', '-1', '9'.repeat(300), '1, 2'))
    .filter((text) => !/^\s*\d{10}\s*$/.test(text)),
  (text, body, { secret }) => [
    ...genuine(secret, body).filter(([name]) => name !== NAMES.timestamp),
    [NAMES.timestamp, `x${text}`],
  ],
);

const otherSecret = withHeaders(
  "another's signature",
  fc.constantFrom<(context: TriggerContext) => string>(
    (context) => context.otherSecret,
    (context) => context.secret.slice(1),
    (context) => `${context.secret} `,
    () => ' ',
    () => 'undefined',
    () => '[object Object]',
  ),
  (choose, body, context) => genuine(choose(context), body),
);

const prototypeNames = withHeaders(
  'prototype names as headers',
  fc.constantFrom(...PROTOTYPE_NAMES),
  (name, body, { secret }) => [
    [name, signWebhook({ body, secret, timestamp: nowSeconds() })],
    [`Http-${name}`, NAMES.signature],
  ],
);

/** A genuine delivery without the headers of its connection. */
function capturedFrom(context: TriggerContext): { body: string; headers: RawHeader[] } {
  const { body, headers } = context.capture();
  const ofConnection = /^(?:host|connection|content-length|transfer-encoding)$/i;
  return { body, headers: Object.entries(headers).filter(([name]) => !ofConnection.test(name)) };
}

/** A captured delivery with a changed, truncated or reformatted body. */
const changed: fc.Arbitrary<HostileRequest<TriggerContext>> = fc
  .tuple(fc.nat(), fc.nat(3))
  .map(([at, how]) => ({
    kind: 'replayed with a changed body',
    build(context) {
      const { body, headers } = capturedFrom(context);
      const bytes = Buffer.from(body);
      bytes[at % bytes.length]! ^= 1;
      const tampered =
        [bytes, bytes.subarray(0, -1), `${body} `, JSON.stringify(JSON.parse(body), null, 1)][how] ?? '';
      return post(context, headers, tampered, { framing: 'chunked' });
    },
  }));

/** A captured delivery, at most with another delivery ID: genuine and fresh, but a duplicate. */
const replayed: fc.Arbitrary<HostileRequest<TriggerContext>> = fc
  .option(fc.integer({ min: 1, max: 8000 }))
  .map((size) => ({
    kind: 'replayed at once',
    build(context) {
      const { body, headers } = capturedFrom(context);
      if (size === null) return post(context, headers, body);
      const others = headers.filter(([name]) => name !== NAMES.delivery);
      return post(context, [...others, [NAMES.delivery, randomUUID().padEnd(size, 'x')]], body);
    },
  }));

/** Hostile bodies, unsigned or signed with another secret. */
const forgedBody: fc.Arbitrary<HostileRequest<TriggerContext>> = fc
  .tuple(
    HOSTILE_BODIES,
    ODD_HEADERS,
    fc.constantFrom('nobody', 'another'),
    fc.constantFrom('length', 'chunked'),
  )
  .map(([{ name, headers, bytes }, odd, signer, framing]) => ({
    kind: `body: ${name}`,
    build(context) {
      const signed = signer === 'nobody' ? [] : genuine(context.otherSecret, bytes);
      return post(context, [...headers, ...odd, ...signed], bytes, {
        framing: framing,
      });
    },
  }));

/** Bodies that aren't events, signed with the right secret. */
const signedBody: fc.Arbitrary<HostileRequest<TriggerContext>> = HOSTILE_BODIES.map(
  ({ name, headers, bytes }) => ({
    kind: `signed body: ${name}`,
    build: (context) => post(context, [...headers, ...genuine(context.secret, bytes)], bytes),
  }),
);

/** A genuine event, nested too deeply to be serialized again. */
const deepEvent: fc.Arbitrary<HostileRequest<TriggerContext>> = fc
  .constantFrom(5_000, 100_000)
  .map((levels) => ({
    kind: 'signed event of many levels',
    build(context) {
      const body = event().replace('"data":{', `"data":{"deep":${'['.repeat(levels)}${']'.repeat(levels)},`);
      return post(context, [JSON_TYPE, ...genuine(context.secret, body)], body);
    },
  }));

const framing: fc.Arbitrary<HostileRequest<TriggerContext>> = fc
  .constantFrom<Partial<RawRequest>['framing']>('none', 0, 10, 100_000, 1e15, -1, NaN, 0.5)
  .map((framed) => ({
    kind: 'wrong length',
    build: (context) => post(context, [JSON_TYPE], event(), { framing: framed! }),
  }));

const twoFramings: fc.Arbitrary<HostileRequest<TriggerContext>> = fc
  .constantFrom<RawHeader>(
    ['Transfer-Encoding', 'chunked'],
    ['Transfer-Encoding', 'gzip, chunked'],
    ['Transfer-Encoding', 'nonsense'],
    ['Content-Length', '5'],
  )
  .map((header) => ({
    kind: 'two lengths',
    build: (context) => post(context, [JSON_TYPE, header], event()),
  }));

const method: fc.Arbitrary<HostileRequest<TriggerContext>> = fc
  .constantFrom(...'GET PUT PATCH DELETE HEAD OPTIONS TRACE PROPFIND QUERY post XYZZY'.split(' '))
  .map((name) => ({
    kind: 'other method',
    build(context) {
      const body = event();
      return post(context, [JSON_TYPE, ...genuine(context.secret, body)], body, { method: name });
    },
  }));

const path: fc.Arbitrary<HostileRequest<TriggerContext>> = fc
  .constantFrom<(own: string) => string>(
    (own) => `${own}/`,
    (own) => `${own}/x`,
    (own) => `/${own}`,
    (own) => own.replace('/webhook', '//webhook'),
    (own) => `${own}?__proto__[a]=1&constructor=2`,
    (own) => `${own}?${'a[b]=c&'.repeat(1500)}`,
    (own) => `${own}%00`,
    (own) => `${own}%`,
    (own) => `${own}/../../rest/settings`,
    (own) => own.toUpperCase(),
    (own) => own.replace('/webhook', '/webhook-test'),
    (own) => own.replace('/webhook', '/form'),
    (own) => own.replace('/webhook', '/webhook-waiting'),
    (own) => `http://attacker.example${own}`,
    () => '/webhook/__proto__/constructor',
    () => `/webhook/${'a/'.repeat(4000)}`,
    () => '*',
    () => '/webhook/%E0%A4%A',
    (own) => `${own}#x`,
    (own) => `${own};x=y`,
  )
  .map((vary) => ({
    kind: 'other path',
    // Unsigned requests start nothing on any path.
    build: (context) => post(context, [JSON_TYPE], event(), { target: vary(context.path) }),
  }));

const weighted = (
  entries: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<HostileRequest<TriggerContext>>])[],
) => fc.oneof(...entries.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** Everything that an attacker can send to a trigger, with or without a captured delivery. */
export const TRIGGER_REQUESTS: fc.Arbitrary<HostileRequest<TriggerContext>> = weighted([
  [5, junkSignature],
  [8, unsigned],
  [3, doubled],
  [2, twoSpellings],
  [2, nonAscii],
  [2, longSignature],
  [6, oddTime],
  [2, twoTimes],
  [5, stale],
  [1, farTimes],
  [4, manyV1],
  [3, oddV1],
  [2, v0Only],
  [3, otherTimestamp],
  [4, otherSecret],
  [2, prototypeNames],
  [5, changed],
  [4, replayed],
  [16, forgedBody],
  [10, signedBody],
  [1, deepEvent],
  [3, framing],
  [2, twoFramings],
  [4, method],
  [5, path],
]);
