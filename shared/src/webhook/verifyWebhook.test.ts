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

function delivery(overrides: Partial<VerifyInput> = {}, headers: WireHeaders = {}): VerifyInput {
  return {
    rawBody: BODY,
    secret: SECRET,
    now: () => NOW * 1000,
    headers: {
      'X-Service-Timestamp': String(NOW),
      'X-Service-Signature': `t=${NOW},v1=${V1}`,
      'X-Service-Delivery': 'dlv_1',
      'X-Service-Event': 'qr.published',
      ...headers,
    },
    ...overrides,
  };
}

const bytesOf = (text: string) => new TextEncoder().encode(text);
const middleOf = (text: string) => bytesOf(`[${text}]`).subarray(1, -1);
const dataView = (text: string) => new DataView(bytesOf(text).buffer);
const nullPrototype = () => Object.assign(Object.create(null) as WireHeaders, delivery().headers);
const plainWith = (...names: string[]) => {
  const headers = delivery().headers as WireHeaders;
  for (const name of names) Object.defineProperty(headers, name, { value: 'x', enumerable: true });
  return headers;
};

function reasonOf(input: VerifyInput): string {
  try {
    verifyWebhook(input);
  } catch (error) {
    if (!isWebhookVerificationError(error)) throw error;
    expect(error.message).toMatch(/^The .*\w\.$/);
    return error.reason;
  }
  return 'accepted';
}

describe('a genuine delivery', () => {
  it('returns the event, the delivery ID and the signed time', () => {
    expect(verifyWebhook(delivery())).toEqual({ event: EVENT, deliveryId: 'dlv_1', timestamp: NOW });
  });

  it.each<[string, Partial<VerifyInput>, WireHeaders]>([
    ['with its body as bytes', { rawBody: new TextEncoder().encode(BODY) }, {}],
    ['300 s old', { now: () => (NOW + 300) * 1000 }, {}],
    ['300 s ahead of the clock', { now: () => (NOW - 300) * 1000 }, {}],
    ['9 s old, with a tolerance of 10 s', { toleranceSeconds: 10, now: () => (NOW + 9) * 1000 }, {}],
    [
      'with a second signature from another secret',
      {},
      { 'X-Service-Signature': `t=${NOW},v1=${'0'.repeat(64)},v1=${V1}` },
    ],
    ['with two spellings that agree', {}, { 'Http-X-Service-Signature': `t=${NOW},v1=${V1}` }],
    ['signed with the last of three secrets', { secret: ['old', 'older', SECRET] }, {}],
    ['with its body as a Buffer', { rawBody: Buffer.from(BODY) }, {}],
    ['with its body as a view into a larger buffer', { rawBody: middleOf(BODY) }, {}],
    ['with its body as an ArrayBuffer', { rawBody: Uint8Array.from(bytesOf(BODY)).buffer }, {}],
    ['with its body as a DataView', { rawBody: dataView(BODY) as unknown as Uint8Array }, {}],
    ['with headers that have no prototype', { headers: nullPrototype() }, {}],
    ['without the unsigned timestamp header', {}, { 'X-Service-Timestamp': undefined }],
    ['with the signature header as an array of one', {}, { 'X-Service-Signature': [`t=${NOW},v1=${V1}`] }],
    [
      'with the signature header split at its commas',
      {},
      { 'X-Service-Signature': [`t=${NOW}`, `v1=${V1}`] },
    ],
    ['with other headers as arrays of one', {}, { 'X-Service-Delivery': ['dlv_1'] }],
  ])('is accepted %s', (_what, overrides, headers) => {
    expect(reasonOf(delivery(overrides, headers))).toBe('accepted');
  });

  it.each(['x-service-signature', 'X-SERVICE-SIGNATURE', 'Http-X-Service-Signature'])(
    'is accepted with its header spelled %s',
    (name) => {
      const headers = { [name]: `t=${NOW},v1=${V1}` };
      expect(reasonOf({ ...delivery(), headers })).toBe('accepted');
    },
  );

  const pairs = () => Object.entries(delivery().headers) as [string, string][];
  const split = () => pairs().map(([name, value]) => [name, value.split(',')] as const);
  it.each<[string, VerifyInput['headers']]>([
    ['a fetch Headers object', new Headers(pairs())],
    ['the Headers of a fetch Request', new Request('https://a.example', { headers: pairs() }).headers],
    ['the entries of a fetch Headers object', new Headers(pairs()).entries()],
    ['a Map', new Map(pairs())],
    ['a Map of lists that are split at the comma', new Map(split())],
    [
      'entries that are split at the comma',
      split().flatMap(([name, parts]) => parts.map((part) => [name, part] as const)),
    ],
    ['lists that are split at the comma, as in headersDistinct', Object.fromEntries(split())],
    ['a plain object with the names of a Headers object', plainWith('entries', 'forEach', 'get', 'keys')],
    ['a plain object with a header named __proto__', plainWith('__proto__', 'constructor')],
  ])('is accepted with its headers as %s', (_what, headers) => {
    const { deliveryId, timestamp } = verifyWebhook(delivery({ headers }));
    expect([deliveryId, timestamp]).toEqual(['dlv_1', NOW]);
  });

  it("is accepted with another brand's header prefix", () => {
    const headers = { 'X-Acme-Signature': `t=${NOW},v1=${V1}` };
    expect(reasonOf({ ...delivery(), headers, headerPrefix: 'Acme' })).toBe('accepted');
  });

  it('is accepted when its delivery ID is missing or empty', () => {
    expect(verifyWebhook(delivery({}, { 'X-Service-Delivery': '' })).deliveryId).toBeUndefined();
    expect(verifyWebhook(delivery({}, { 'X-Service-Delivery': undefined })).deliveryId).toBeUndefined();
  });

  it("has its type read from the body, since the event header isn't signed", () => {
    const { event } = verifyWebhook(delivery({}, { 'X-Service-Event': 'qr.deleted' }));
    expect(event.type).toBe('qr.published');
  });

  it('is accepted with an undocumented event type, and with nothing but an ID and a type', () => {
    const rawBody = JSON.stringify({ id: 'evt_1', type: 'qr.blessed' });
    const signature = signWebhook({ body: rawBody, secret: SECRET, timestamp: NOW });
    const { event } = verifyWebhook(delivery({ rawBody }, { 'X-Service-Signature': signature }));
    expect(event).toEqual({ id: 'evt_1', type: 'qr.blessed', workspaceId: '', occurredAt: '', data: {} });
  });
});

describe("a delivery that can't be verified", () => {
  const signature = (value: string | string[]) => ({
    'X-Service-Signature': value,
    'X-Service-Timestamp': undefined,
  });

  it.each<[string, string, Partial<VerifyInput>, WireHeaders]>([
    ['no secret', 'missing_secret', { secret: '' }, {}],
    ['no secret in the list', 'missing_secret', { secret: [] }, {}],
    ['an empty secret in the list', 'missing_secret', { secret: [SECRET, ''] }, {}],
    ['a parsed body', 'invalid_input', { rawBody: EVENT as unknown as string }, {}],
    ['a tolerance of 0', 'invalid_input', { toleranceSeconds: 0 }, {}],
    ['an infinite tolerance', 'invalid_input', { toleranceSeconds: Infinity }, {}],
    ['a secret that is an object', 'missing_secret', { secret: {} as string }, {}],
    ['a secret as bytes', 'missing_secret', { secret: Buffer.from(SECRET) as unknown as string }, {}],
    ['no body', 'invalid_input', { rawBody: undefined as unknown as string }, {}],
    ['a proxy of bytes', 'invalid_input', { rawBody: new Proxy(bytesOf(BODY), {}) }, {}],
    ['headers that are missing', 'invalid_input', { headers: null as unknown as VerifyInput['headers'] }, {}],
    ['headers as text', 'invalid_input', { headers: 'x' as unknown as VerifyInput['headers'] }, {}],
    ['a tolerance below 0', 'invalid_input', { toleranceSeconds: -300 }, {}],
    ['a tolerance as text', 'invalid_input', { toleranceSeconds: '300' as unknown as number }, {}],
    ["a clock that isn't a function", 'invalid_input', { now: NOW as unknown as () => number }, {}],
    ['no signature', 'missing_header', {}, { 'X-Service-Signature': undefined }],
    [
      'only the V0 signature',
      'deprecated_scheme',
      {},
      { 'X-Service-Signature': undefined, 'X-Service-Signature-V0': hexHmac(BODY) },
    ],
    ['two signature headers', 'malformed_header', {}, signature([`t=${NOW},v1=${V1}`, `t=${NOW},v1=${V1}`])],
    [
      'two signature headers as entries',
      'malformed_header',
      { headers: [1, 2].map(() => ['X-Service-Signature', `t=${NOW},v1=${V1}`] as const) },
      {},
    ],
    ['an empty array of signature headers', 'malformed_header', {}, signature([])],
    [
      'an array in an array',
      'malformed_header',
      {},
      signature([[`t=${NOW},v1=${V1}`]] as unknown as string[]),
    ],
    [
      'a signature header as bytes',
      'malformed_header',
      {},
      signature(Buffer.from(`t=${NOW},v1=${V1}`) as unknown as string),
    ],
    ['a signature header that is null', 'malformed_header', {}, signature(null as unknown as string)],
    ['an empty signature header', 'malformed_header', {}, signature('')],
    ['a signature header that breaks the grammar', 'malformed_header', {}, signature(`t=0,v1=${V1}`)],
    [
      'a signature header split inside the signature',
      'malformed_header',
      {},
      signature([`t=${NOW}`, 'v1=', V1]),
    ],
    ['an array of two delivery IDs', 'malformed_header', {}, { 'X-Service-Delivery': ['a', 'b'] }],
    ['two delivery IDs', 'malformed_header', {}, { 'Http-X-Service-Delivery': 'dlv_2' }],
    ['two timestamp headers', 'malformed_header', {}, { 'x-service-timestamp': String(NOW + 1) }],
    [
      'two spellings that differ',
      'malformed_header',
      {},
      { 'x-service-signature': `t=${NOW},v1=${V1},v2=0` },
    ],
    [
      "a timestamp header that doesn't match",
      'malformed_header',
      {},
      { 'X-Service-Timestamp': String(NOW + 1) },
    ],
    [
      'a body that was serialized again',
      'signature_mismatch',
      { rawBody: JSON.stringify(EVENT, null, 2) },
      {},
    ],
    ['a space after the secret', 'signature_mismatch', { secret: `${SECRET} ` }, {}],
    [
      'the V0 signature passed off as v1',
      'signature_mismatch',
      {},
      signature(`t=${NOW},v1=${hexHmac(BODY)}`),
    ],
    ['an age of 301 s', 'timestamp_out_of_tolerance', { now: () => (NOW + 301) * 1000 }, {}],
    [
      'an age of 15 s and a tolerance of 10 s',
      'timestamp_out_of_tolerance',
      { toleranceSeconds: 10, now: () => (NOW + 15) * 1000 },
      {},
    ],
    ['a time 301 s ahead', 'timestamp_out_of_tolerance', { now: () => (NOW - 301) * 1000 }, {}],
    ['a clock that returns NaN', 'timestamp_out_of_tolerance', { now: () => NaN }, {}],
    ['a clock of another type', 'timestamp_out_of_tolerance', { now: () => 1n as unknown as number }, {}],
  ])('with %s is refused: %s', (_what, reason, overrides, headers) => {
    expect(reasonOf(delivery(overrides, headers))).toBe(reason);
  });

  it.each<[string, string, VerifyInput['headers']]>([
    ['a Headers object without a signature', 'missing_header', new Headers({ 'X-Service-Delivery': 'a' })],
    [
      'a Headers object with two signatures',
      'malformed_header',
      new Headers([
        ['X-Service-Signature', `t=${NOW},v1=${V1}`],
        ['X-Service-Signature', `t=${NOW + 1},v1=${V1}`],
      ]),
    ],
    ['a plain object whose only headers are inherited', 'missing_header', Object.create(delivery().headers)],
  ])('with %s is refused: %s', (_what, reason, headers) =>
    expect(reasonOf(delivery({ headers }))).toBe(reason),
  );

  it.each<[string, VerifyInput['headers']]>([
    ['inherited', Object.create({ 'X-Service-Signature': `t=${NOW},v1=${V1}` })],
    ['under __proto__', JSON.parse(`{"__proto__":{"X-Service-Signature":"t=${NOW},v1=${V1}"}}`)],
    ['under a symbol', { [Symbol('X-Service-Signature')]: `t=${NOW},v1=${V1}` }],
    ['under another prefix', { 'X-Acme-Signature': `t=${NOW},v1=${V1}` }],
    ['under Http- twice', { 'Http-Http-X-Service-Signature': `t=${NOW},v1=${V1}` }],
  ])('with a signature that is %s is refused: missing_header', (_what, headers) =>
    expect(reasonOf(delivery({ headers }))).toBe('missing_header'),
  );

  it('is refused for the first problem in the order of the checks', () => {
    const wrong = {
      secret: { secret: '' },
      header: { headers: { 'X-Service-Signature': `t=0,v1=${V1}` } },
      signature: { rawBody: 'no JSON' },
    };
    const stale = { now: () => 0 };
    const signed = signWebhook({ body: 'no JSON', secret: SECRET, timestamp: NOW });
    const notJson = { rawBody: 'no JSON', headers: { 'X-Service-Signature': signed } };
    expect([
      reasonOf(delivery({ ...wrong.signature, ...wrong.header, ...stale, ...wrong.secret })),
      reasonOf(delivery({ ...wrong.signature, ...wrong.header, ...stale })),
      reasonOf(delivery({ ...wrong.signature, ...stale })),
      reasonOf(delivery({ ...notJson, ...stale })),
      reasonOf(delivery(notJson)),
    ]).toEqual([
      'missing_secret',
      'malformed_header',
      'signature_mismatch',
      'timestamp_out_of_tolerance',
      'invalid_body',
    ]);
  });

  it("passes on what the caller's clock throws", () => {
    const bug = new RangeError('no clock');
    const now = () => {
      throw bug;
    };
    expect(() => verifyWebhook(delivery({ now }))).toThrow(bug);
  });

  it.each<[string, string | Uint8Array]>([
    ['no JSON', 'hello'],
    ['nothing', ''],
    ['null', 'null'],
    ['an event with a numeric ID', JSON.stringify({ ...EVENT, id: 1 })],
    ['an event in the middle of a surrogate pair', JSON.stringify(EVENT).replace('Table', '\ud83d')],
    ['brackets a hundred thousand deep', '['.repeat(100_000)],
    ['an array', '[]'],
    ['an event without a type', '{"id":"evt_1"}'],
    ["an event with a byte that isn't UTF-8", Buffer.from(BODY.replace('Table', '\xff'), 'latin1')],
    ['an event with a truncated character', Buffer.from(BODY.replace('Table', '\xe2\x82'), 'latin1')],
  ])('whose signed body is %s is refused: invalid_body', (_what, rawBody) => {
    const headers = { 'X-Service-Signature': signWebhook({ body: rawBody, secret: SECRET, timestamp: NOW }) };
    expect(reasonOf({ ...delivery(), rawBody, headers })).toBe('invalid_body');
  });

  it('is refused when a changed character was replaced by U+FFFD', () => {
    const signedBody = BODY.replace('Table 4', 'Table \u{fffd}');
    const headers = {
      'X-Service-Signature': signWebhook({ body: signedBody, secret: SECRET, timestamp: NOW }),
    };
    const rawBody = signedBody.replace('\u{fffd}', '\u{dffd}');
    expect(reasonOf({ ...delivery(), rawBody, headers })).toBe('invalid_body');
  });

  it('is refused when an old capture is split at another dot', () => {
    const captured = `${NOW}.{"a":1}`;
    const v1 = hexHmac(`1759999999.${captured}`);
    const headers = { 'X-Service-Signature': `t=1759999999.${NOW},v1=${v1}` };
    expect(reasonOf({ ...delivery(), rawBody: '{"a":1}', headers })).toBe('malformed_header');
  });

  it('reveals neither secret nor payload', () => {
    try {
      verifyWebhook(delivery({ rawBody: `${BODY} ` }));
    } catch (error) {
      expect(inspect(error, { depth: 9 })).not.toMatch(/whsec|Table 4/);
      expect(JSON.stringify(error)).not.toMatch(/whsec|Table 4/);
    }
    expect.assertions(2);
  });
});
