import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { sampleEvent } from './event.ts';
import type { WireHeaders } from '../wire/headers.ts';
import { signWebhook } from './signature.ts';
import { verifyWebhook, type VerifyInput } from './verifyWebhook.ts';
import { isWebhookVerificationError } from '../errors/guards.ts';

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

const bytesOf = (text: string) => new TextEncoder().encode(text);
const middleOf = (text: string) => bytesOf(`[${text}]`).subarray(1, -1);
const dataView = (text: string) => new DataView(bytesOf(text).buffer);
const plainWith = (...names: string[]) => {
  const headers = { ...HEADERS };
  for (const name of names) Object.defineProperty(headers, name, { value: 'x', enumerable: true });
  return headers;
};

function reasonOf(input: VerifyInput): string {
  try {
    verifyWebhook(input);
  } catch (error) {
    if (!isWebhookVerificationError(error)) throw error;
    expect(error.message).toMatch(/^The .*\w\.$/);
    expect(inspect(error, { depth: 9 }) + JSON.stringify(error)).not.toMatch(/whsec|Table 4/);
    return error.reason;
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

describe('a genuine delivery', () => {
  it('returns the event, the delivery ID and the signed time', () => {
    expect(verifyWebhook(delivery())).toEqual({ event: EVENT, deliveryId: 'dlv_1', timestamp: NOW });
  });

  it.each<[string, Partial<VerifyInput>, WireHeaders?]>([
    ['300 s old', at(300)],
    ['300 s ahead of the clock', at(-300)],
    ['9 s old, with a tolerance of 10 s', { toleranceSeconds: 10, ...at(9) }],
    ['signed with the last of three secrets', { secret: ['old', 'older', SECRET] }],
    ['with its body as bytes', { rawBody: bytesOf(BODY) }],
    ['with its body as a Buffer', { rawBody: Buffer.from(BODY) }],
    ['with its body as a view into a larger buffer', { rawBody: middleOf(BODY) }],
    ['with its body as an ArrayBuffer', { rawBody: Uint8Array.from(bytesOf(BODY)).buffer }],
    ['with its body as a DataView', { rawBody: dataView(BODY) as unknown as Uint8Array }],
    ['with a second signature from another secret', {}, signature(`t=${NOW},v1=${'0'.repeat(64)},v1=${V1}`)],
    ['with two spellings that agree', {}, { 'Http-X-Service-Signature': GOOD }],
    ['without the unsigned timestamp header', {}, { 'X-Service-Timestamp': undefined }],
    ['with the signature header as an array of one', {}, signature([GOOD])],
    ['with the signature header split at its commas', {}, signature(GOOD.split(','))],
    ['with other headers as arrays of one', {}, { 'X-Service-Delivery': ['dlv_1'] }],
    ['with its header in uppercase', { headers: { 'X-SERVICE-SIGNATURE': GOOD } }],
    ["with Zapier's prefix", { headers: { 'Http-X-Service-Signature': GOOD } }],
  ])('is accepted %s', (_what, overrides, headers = {}) => {
    expect(reasonOf(delivery(overrides, headers))).toBe('accepted');
  });

  const pairs = Object.entries(HEADERS) as [string, string][];
  const split = pairs.map(([name, value]) => [name, value.split(',')] as const);
  const entries = split.flatMap(([name, parts]) => parts.map((part) => [name, part] as const));
  it.each<[string, VerifyInput['headers']]>([
    ['a fetch Headers object', new Headers(pairs)],
    ['the entries of a fetch Headers object', new Headers(pairs).entries()],
    ['a Map', new Map(pairs)],
    ['a Map of lists that are split at the comma', new Map(split)],
    ['entries that are split at the comma', entries],
    ['lists that are split at the comma, as in headersDistinct', Object.fromEntries(split)],
    ['a plain object with the names of a Headers object', plainWith('entries', 'forEach', 'get', 'keys')],
    ['a plain object with a header named __proto__', plainWith('__proto__', 'constructor')],
  ])('is accepted with its headers as %s', (_what, headers) => {
    const { deliveryId, timestamp } = verifyWebhook(delivery({ headers }));
    expect([deliveryId, timestamp]).toEqual(['dlv_1', NOW]);
  });

  it.each(['', undefined])('is accepted with the delivery ID %j', (id) => {
    expect(verifyWebhook(delivery({}, { 'X-Service-Delivery': id })).deliveryId).toBeUndefined();
  });

  it("has its type read from the body, since the event header isn't signed", () => {
    const { event } = verifyWebhook(delivery({}, { 'X-Service-Event': 'qr.deleted' }));
    expect(event.type).toBe('qr.published');
  });

  it('is accepted with an undocumented event type, and with nothing but an ID and a type', () => {
    const { event } = verifyWebhook(signedBody(JSON.stringify({ id: 'evt_1', type: 'qr.blessed' })));
    expect(event).toEqual({ id: 'evt_1', type: 'qr.blessed', workspaceId: '', occurredAt: '', data: {} });
  });
});

const onlyV0 = { 'X-Service-Signature': undefined, 'X-Service-Signature-V0': hexHmac(BODY) };
const twoPairs: VerifyInput['headers'] = [1, 2].map(() => ['X-Service-Signature', GOOD] as const);
const twoHeaders = new Headers([0, 1].map((later) => ['X-Service-Signature', `t=${NOW + later},v1=${V1}`]));
const fffd = BODY.replace('Table 4', 'Table \u{fffd}');
const captured = signature(`t=1759999999.${NOW},v1=${hexHmac(`1759999999.${NOW}.{"a":1}`)}`);

type Row = [what: string, input: { [K in keyof VerifyInput]?: unknown }, headers?: WireHeaders];
/** By the reason: what is wrong, what differs in the input, and what differs in its headers. */
const REFUSED: Record<string, Row[]> = {
  missing_secret: [
    ['no secret', { secret: '' }],
    ['no secret in the list', { secret: [] }],
    ['an empty secret in the list', { secret: [SECRET, ''] }],
    ['a secret as bytes', { secret: Buffer.from(SECRET) }],
  ],
  invalid_input: [
    ['a parsed body', { rawBody: EVENT }],
    ['no body', { rawBody: undefined }],
    ['headers that are missing', { headers: null }],
    ['headers as text', { headers: 'x' }],
    ['a tolerance of 0', { toleranceSeconds: 0 }],
    ['an infinite tolerance', { toleranceSeconds: Infinity }],
    ['a tolerance below 0', { toleranceSeconds: -300 }],
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
    ['two signature headers', {}, signature([GOOD, GOOD])],
    ['two signature headers as entries', { headers: twoPairs }],
    ['two signatures in a Headers object', { headers: twoHeaders }],
    ['an empty array of signature headers', {}, signature([])],
    ['an array in an array', {}, signature([[GOOD]])],
    ['a list with a number', {}, signature([GOOD, 7])],
    ['a signature header that is null', {}, signature(null)],
    ['an empty signature header', {}, signature('')],
    ['a signature header that breaks the grammar', {}, signature(`t=0,v1=${V1}`)],
    ['a signature header split inside the signature', {}, signature([`t=${NOW}`, 'v1=', V1])],
    ['an old capture split at another dot', { rawBody: '{"a":1}' }, captured],
    ['an array of two delivery IDs', {}, { 'X-Service-Delivery': ['a', 'b'] }],
    ['two delivery IDs', {}, { 'Http-X-Service-Delivery': 'dlv_2' }],
    ['two timestamp headers', {}, { 'x-service-timestamp': String(NOW + 1) }],
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
    ['nothing', signedBody('')],
    ['null', signedBody('null')],
    ['an array', signedBody('[]')],
    ['an event without a type', signedBody('{"id":"evt_1"}')],
    ['an event with a numeric ID', signedBody(JSON.stringify({ ...EVENT, id: 1 }))],
    ['an event in the middle of a surrogate pair', signedBody(BODY.replace('Table', '\ud83d'))],
    ['brackets a hundred thousand deep', signedBody('['.repeat(100_000))],
    ["a byte that isn't UTF-8", signedBody(Buffer.from(BODY.replace('Table', '\xff'), 'latin1'))],
    ['a truncated character', signedBody(Buffer.from(BODY.replace('Table', '\xe2\x82'), 'latin1'))],
    [
      'a character replaced by U+FFFD',
      { ...signedBody(fffd), rawBody: fffd.replace('\u{fffd}', '\u{dffd}') },
    ],
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
