import crypto, { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { isWebhookVerificationError } from '../errors/guards.ts';
import type { WireHeaders } from '../wire/headers.ts';
import { sampleEvent } from './event.ts';
import { parseSignature, signatureMatches, signWebhook } from './signature.ts';
import { verifyWebhook, type VerifyInput } from './verifyWebhook.ts';

const NOW = 1_760_000_000;
const SECRET = 'whsec_correct_horse_battery';
const EVENT = sampleEvent('qr.published');
const BODY = JSON.stringify(EVENT);
const V1 = signWebhook({ body: BODY, secret: SECRET, timestamp: NOW }).split('v1=')[1]!;
const hexHmac = (text: string) => createHmac('sha256', SECRET).update(text).digest('hex');

const GOOD = `t=${NOW},v1=${V1}`;
const HEADERS: WireHeaders = {
  'X-Service-Timestamp': String(NOW),
  'X-Service-Signature': GOOD,
  'X-Service-Delivery': 'dlv_1',
  'X-Service-Event': 'qr.published',
};

const at = (seconds: number) => ({ now: () => (NOW + seconds) * 1000 });
function delivery(overrides: Partial<VerifyInput> = {}, headers: WireHeaders = {}): VerifyInput {
  return { rawBody: BODY, secret: SECRET, ...at(0), headers: { ...HEADERS, ...headers }, ...overrides };
}

function reasonOf(input: VerifyInput): string {
  try {
    verifyWebhook(input);
  } catch (error) {
    if (!isWebhookVerificationError(error)) throw error;
    expect(error.message).toMatch(/^The .*\w\.$/);
    expect(inspect(error, { depth: 9 }) + JSON.stringify(error)).not.toMatch(/whsec|Table 4/);
    return error.code;
  }
  return 'accepted';
}

/** The header in place of the good one, without the unsigned time. */
const signature = (value: unknown): WireHeaders => ({
  'X-Service-Signature': value as string,
  'X-Service-Timestamp': undefined,
});
const signedBody = (rawBody: string | Uint8Array): VerifyInput => ({
  ...delivery({ rawBody }),
  headers: { 'X-Service-Signature': signWebhook({ body: rawBody, secret: SECRET, timestamp: NOW }) },
});

const bytesOf = (text: string) => new TextEncoder().encode(text);
const view = bytesOf(`[${BODY}]`).subarray(1, -1);
const pairs = Object.entries(HEADERS) as [string, string][];
const lists = pairs.map(([name, value]) => [name, value.split(',')] as const);
const entries = lists.flatMap(([name, values]) => values.map((value) => [name, value] as const));
const renamed = (name: (header: string) => string) =>
  Object.fromEntries(pairs.map(([header, value]) => [name(header), value]));
const alsoNamed = (...names: string[]) =>
  Object.fromEntries([...pairs, ...names.map((name) => [name, 'x'])]) as WireHeaders;

describe('a genuine delivery', () => {
  it.each<[what: string, input: Partial<VerifyInput>, headers?: WireHeaders]>([
    ['300 s old', at(300)],
    ['300 s ahead of the clock', at(-300)],
    ['9 s old, with a tolerance of 10 s', { toleranceSeconds: 10, ...at(9) }],
    ['signed with the last of three secrets', { secret: ['old', 'older', SECRET] }],
    ['with its body as a view into a larger buffer', { rawBody: view }],
    ['with its body as an ArrayBuffer', { rawBody: bytesOf(BODY).buffer }],
    ['with its body as a DataView', { rawBody: new DataView(bytesOf(BODY).buffer) as never }],
    ['with a second signature', {}, signature(`t=${NOW},v1=${'0'.repeat(64)},v1=${V1}`)],
    ['with two spellings that agree', {}, { 'Http-X-Service-Signature': GOOD }],
    ['without the unsigned timestamp header', {}, { 'X-Service-Timestamp': undefined }],
    ['with another type in the unsigned event header', {}, { 'X-Service-Event': 'qr.deleted' }],
    ['with its headers in uppercase', { headers: renamed((name) => name.toUpperCase()) }],
    ["with Zapier's prefix", { headers: renamed((name) => `Http-${name}`) }],
    ['with headers named like methods', { headers: alsoNamed('entries', 'forEach', 'get', 'keys') }],
    ['with headers named like inherited ones', { headers: alsoNamed('__proto__', 'constructor') }],
    ['with a fetch Headers object', { headers: new Headers(pairs) }],
    ['with the entries of a fetch Headers object', { headers: new Headers(pairs).entries() }],
    ['with a Map of lists that are split at the comma', { headers: new Map(lists) }],
    ['with entries that are split at the comma', { headers: entries }],
    ['with lists split at the comma, as in headersDistinct', { headers: Object.fromEntries(lists) }],
  ])('is accepted %s, and returned with its ID and time', (_what, input, headers = {}) => {
    const expected = { event: EVENT, deliveryId: 'dlv_1', timestamp: NOW };
    expect(verifyWebhook(delivery(input, headers))).toEqual(expected);
  });

  it.each(['', undefined])('is accepted with the delivery ID %j', (id) => {
    expect(verifyWebhook(delivery({}, { 'X-Service-Delivery': id })).deliveryId).toBeUndefined();
  });

  it('is accepted with an undocumented event type, and with nothing but an ID and a type', () => {
    const { event } = verifyWebhook(signedBody(JSON.stringify({ id: 'evt_1', type: 'qr.blessed' })));
    expect(event).toEqual({ id: 'evt_1', type: 'qr.blessed', workspaceId: '', occurredAt: '', data: {} });
  });
});

const onlyV0 = { 'X-Service-Signature': undefined, 'X-Service-Signature-V0': hexHmac(BODY) };
const twoPairs: VerifyInput['headers'] = [1, 2].map(() => ['X-Service-Signature', GOOD] as const);
const fffd = BODY.replace('Table 4', '\u{fffd}');
const captured = signature(`t=1759999999.${NOW},v1=${hexHmac(`1759999999.${NOW}.{"a":1}`)}`);

type Row = [what: string, input: { [K in keyof VerifyInput]?: unknown }, headers?: WireHeaders];
/** By the reason: what is wrong, what differs in the input, and what differs in its headers. */
const REFUSED: Record<string, Row[]> = {
  missing_secret: [
    ['no secret', { secret: '' }],
    ['no secret in the list', { secret: [] }],
    ['an empty secret in the list', { secret: [SECRET, ''] }],
    ['a hole in the list', { secret: Array<string>(1) }],
    ['a secret as bytes', { secret: Buffer.from(SECRET) }],
  ],
  invalid_input: [
    ['a parsed body', { rawBody: EVENT }],
    ['no body', { rawBody: undefined }],
    ['headers that are missing', { headers: null }],
    ['a tolerance of 0', { toleranceSeconds: 0 }],
    ['an infinite tolerance', { toleranceSeconds: Infinity }],
    ["a clock that isn't a function", { now: NOW }],
  ],
  missing_header: [
    ['no signature', {}, { 'X-Service-Signature': undefined }],
    ['only inherited headers', { headers: Object.create(HEADERS) }],
    ['a signature under another prefix', { headers: { 'X-Acme-Signature': GOOD } }],
    ['a signature under Http- twice', { headers: { 'Http-Http-X-Service-Signature': GOOD } }],
  ],
  deprecated_scheme: [['only the V0 signature', {}, onlyV0]],
  malformed_header: [
    ['two signature headers as entries', { headers: twoPairs }],
    ['an empty array of signature headers', {}, signature([])],
    ['a list with a number', {}, signature([GOOD, 7])],
    ['a signature header that is null', {}, signature(null)],
    ['a signature header that breaks the grammar', {}, signature(`t=0,v1=${V1}`)],
    ['a signature header split inside the signature', {}, signature([`t=${NOW}`, 'v1=', V1])],
    ['an old capture split at another dot', { rawBody: '{"a":1}' }, captured],
    ['an array of two delivery IDs', {}, { 'X-Service-Delivery': ['a', 'b'] }],
    ['two spellings that differ', {}, { 'x-service-signature': `${GOOD},v2=0` }],
    ["a timestamp header that doesn't match", {}, { 'X-Service-Timestamp': String(NOW + 1) }],
  ],
  signature_mismatch: [
    ['a body that was serialized again', { rawBody: JSON.stringify(EVENT, null, 2) }],
    ['a space after the secret', { secret: `${SECRET} ` }],
    ['the V0 signature passed off as v1', {}, signature(`t=${NOW},v1=${hexHmac(BODY)}`)],
  ],
  timestamp_out_of_tolerance: [
    ['an age of 301 s', at(301)],
    ['an age of 15 s and a tolerance of 10 s', { toleranceSeconds: 10, ...at(15) }],
    ['a time 301 s ahead', at(-301)],
    ['a clock that returns NaN', { now: () => NaN }],
  ],
  invalid_body: [
    ['no JSON', signedBody('hello')],
    ['null', signedBody('null')],
    ['an event without a type', signedBody('{"id":"evt_1"}')],
    ['an event with a numeric ID', signedBody(JSON.stringify({ ...EVENT, id: 1 }))],
    ['an event in the middle of a surrogate pair', signedBody(BODY.replace('Table', '\ud83d'))],
    ["a byte that isn't UTF-8", signedBody(Buffer.from(BODY.replace('Table', '\xff'), 'latin1'))],
    ['a lone surrogate for U+FFFD', { ...signedBody(fffd), rawBody: fffd.replace('\u{fffd}', '\u{dffd}') }],
  ],
};

describe("a delivery that can't be verified", () => {
  const refused = Object.entries(REFUSED).flatMap(([reason, rows]) =>
    rows.map(([what, input, headers]) => [what, reason, input as Partial<VerifyInput>, headers] as const),
  );
  it.each(refused)('with %s is refused: %s', (_what, reason, input, headers = {}) => {
    expect(reasonOf(delivery(input, headers))).toBe(reason);
  });

  const stale = { now: () => 0 };
  const mismatch = { ...stale, rawBody: 'no JSON' };
  const malformed = { ...mismatch, headers: { 'X-Service-Signature': `t=0,v1=${V1}` } };
  it.each<[reason: string, input: VerifyInput]>([
    ['missing_secret', delivery({ ...malformed, secret: '' })],
    ['malformed_header', delivery(malformed)],
    ['signature_mismatch', delivery(mismatch)],
    ['timestamp_out_of_tolerance', { ...signedBody('no JSON'), ...stale }],
  ])('is refused for the first problem in the order of the checks: %s', (reason, input) =>
    expect(reasonOf(input)).toBe(reason),
  );
});

const OF_JSON = '34c9950450897671bfd9787ec2a7aa8f5ee4d98349c6c34eb392ce87b21158ce';
/** Payloads of stripe-node's own tests, as stripe 23.1.0 signs them: it has the same scheme. */
it.each<[string, string, string]>([
  ['nothing', '', '155eb952c2fcee3c6a45fbbc1ff5bad252a924a61b200d123a399ae4dc4be128'],
  ['JSON', JSON.stringify({ obj1: 'hello', obj2: 'world' }), OF_JSON],
  ['an emoji', '\u{1f600}', '3e5772ba1ebd87a318c134500be7eb1d3c1c71db21553e1b31c737781a5219f7'],
])('signWebhook signs %s as stripe-node does, as text and as bytes', (_what, body, v1) => {
  const of = { secret: 'test_secret', timestamp: 1234567890 };
  expect(signWebhook({ ...of, body })).toBe(`t=1234567890,v1=${v1}`);
  expect(signWebhook({ ...of, body: Buffer.from(body) })).toBe(`t=1234567890,v1=${v1}`);
});

describe('a signature header', () => {
  const T = String(NOW);
  const ZEROS = '0'.repeat(64);
  const v1 = Buffer.from(V1, 'hex');
  const zeros = Buffer.from(ZEROS, 'hex');

  it.each<[string, string, Buffer[], timestamp?: string]>([
    ['the earliest time', `t=1,v1=${V1}`, [v1], '1'],
    ['the latest time', `t=999999999999,v1=${V1}`, [v1], '999999999999'],
    ['the signature first', `v1=${V1},t=${T}`, [v1]],
    ['a space after the comma', `t=${T}, v1=${V1}`, [v1]],
    ['uppercase hex', `t=${T},v1=${V1.toUpperCase()}`, [v1]],
    ['eight signatures', `t=${T}${`,v1=${ZEROS}`.repeat(7)},v1=${V1}`, [...Array<Buffer>(7).fill(zeros), v1]],
    ['other schemes', `v2=zz=,v0=${ZEROS},V1=,t=${T},v1=${V1},T=0,tt=1,v11=2`, [v1]],
    ['parts without a scheme', `x,,t,v1,=,=1,t=${T},v1=${V1},`, [v1]],
    ['exactly 1 kB', `t=${T},v1=${V1},x=`.padEnd(1024, 'y'), [v1]],
  ])('is accepted with %s', (_what, header, signatures, timestamp = T) =>
    expect(parseSignature(header)).toEqual({ timestamp, signatures }),
  );

  it.each([
    ['no t', `v1=${V1}`],
    ['two t', `t=${T},t=${T},v1=${V1}`],
    ['no v1', `t=${T}`],
    ['a space inside a part', `t =${T},v1=${V1}`],
    ['nine v1', `t=${T}${`,v1=${V1}`.repeat(9)}`],
    ['a valid v1 next to an invalid one', `t=${T},v1=${V1},v1=potato`],
    ['over 1 kB', `t=${T},v1=${V1},x=`.padEnd(1025, 'y')],
  ])('is refused with %s', (_what, header) => expect(parseSignature(header)).toBeUndefined());

  it.each([
    ...`0 0${T} 1760000000000 ${T}.0 +${T} -${T} 176e7 0x68e77800 1_760_000_000 १७६००००००० =${T}`.split(' '),
    ...['', ` ${T}`, `${T} `, `${T}\n`],
  ])('is refused with t=%j', (t) => expect(parseSignature(`t=${t},v1=${V1}`)).toBeUndefined());

  const mixedCase = V1.replace(/[a-f]/, (letter) => letter.toUpperCase());
  // Buffer.from accepts the wide letters as hex.
  const noHex = [`g${V1.slice(1)}`, mixedCase, v1.toString('base64'), '\u0130'.repeat(64)];
  it.each(['', V1.slice(1), `${V1}0`, `${V1}\n`, ` ${V1}`, ...noHex])('is refused with v1=%j', (value) =>
    expect(parseSignature(`t=${T},v1=${value}`)).toBeUndefined(),
  );

  it('is compared in constant time, in every pair with a secret', () => {
    const compare = jest.spyOn(crypto, 'timingSafeEqual');
    const parsed = { timestamp: T, signatures: [v1, zeros] };
    expect(signatureMatches(parsed, BODY, [SECRET, 'other'])).toBe(true);
    expect(compare).toHaveBeenCalledTimes(4);
  });
});
