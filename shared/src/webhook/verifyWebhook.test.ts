import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { sampleEvent } from './sampleEvent.ts';
import { signWebhook } from './signature.ts';
import { verifyWebhook, type VerifyInput } from './verifyWebhook.ts';
import { isWebhookVerificationError } from './WebhookVerificationError.ts';

const NOW = 1_760_000_000;
const SECRET = 'whsec_correct_horse_battery';
const EVENT = sampleEvent('qr.published');
const BODY = JSON.stringify(EVENT);
const V1 = signWebhook({ body: BODY, secret: SECRET, timestamp: NOW }).split('v1=')[1]!;
const hexHmac = (text: string) => createHmac('sha256', SECRET).update(text).digest('hex');

function delivery(overrides: Partial<VerifyInput> = {}, headers: VerifyInput['headers'] = {}): VerifyInput {
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

function reasonOf(input: VerifyInput): string {
  try {
    verifyWebhook(input);
  } catch (error) {
    if (isWebhookVerificationError(error)) return error.reason;
    throw error;
  }
  return 'accepted';
}

describe('a genuine delivery', () => {
  it('gives the event, the delivery id and the signed time', () => {
    expect(verifyWebhook(delivery())).toEqual({ event: EVENT, deliveryId: 'dlv_1', timestamp: NOW });
  });

  it.each<[string, Partial<VerifyInput>, VerifyInput['headers']]>([
    ['with its body as bytes', { rawBody: new TextEncoder().encode(BODY) }, {}],
    ['300 s old', { now: () => (NOW + 300) * 1000 }, {}],
    ['300 s ahead of the clock', { now: () => (NOW - 300) * 1000 }, {}],
    ['signed with one of two secrets', { secret: ['old', SECRET] }, {}],
    [
      'with a second signature of another secret',
      {},
      { 'X-Service-Signature': `t=${NOW},v1=${'0'.repeat(64)},v1=${V1}` },
    ],
    ['with a scheme of the future beside v1', {}, { 'X-Service-Signature': `v2=zz,t=${NOW},v1=${V1}` }],
    ['without the unsigned timestamp header', {}, { 'X-Service-Timestamp': undefined }],
    ['with the signature header as an array of one', {}, { 'X-Service-Signature': [`t=${NOW},v1=${V1}`] }],
  ])('is accepted %s', (_what, overrides, headers) => {
    expect(reasonOf(delivery(overrides, headers))).toBe('accepted');
  });

  it.each(['x-service-signature', 'X-SERVICE-SIGNATURE', 'Http-X-Service-Signature'])(
    'is accepted with its header spelt %s',
    (name) => {
      const headers = { [name]: `t=${NOW},v1=${V1}` };
      expect(reasonOf({ ...delivery(), headers })).toBe('accepted');
    },
  );

  it('is found under the header word of another brand', () => {
    const headers = { 'X-Acme-Signature': `t=${NOW},v1=${V1}` };
    expect(reasonOf({ ...delivery(), headers, headerPrefix: 'Acme' })).toBe('accepted');
  });

  it('takes its type from the body, as the event header is not signed', () => {
    const { event } = verifyWebhook(delivery({}, { 'X-Service-Event': 'qr.deleted' }));
    expect(event.type).toBe('qr.published');
  });

  it('passes an event type that the API text does not list', () => {
    const rawBody = JSON.stringify({ ...EVENT, type: 'qr.blessed' });
    const signature = signWebhook({ body: rawBody, secret: SECRET, timestamp: NOW });
    expect(verifyWebhook(delivery({ rawBody }, { 'X-Service-Signature': signature })).event.type).toBe(
      'qr.blessed',
    );
  });
});

describe('a delivery that is not proven genuine', () => {
  const signature = (value: string | string[]) => ({
    'X-Service-Signature': value,
    'X-Service-Timestamp': undefined,
  });

  it.each<[string, string, Partial<VerifyInput>, VerifyInput['headers']]>([
    ['no secret', 'missing_secret', { secret: '' }, {}],
    ['no secret in the list', 'missing_secret', { secret: [] }, {}],
    ['an empty secret in the list', 'missing_secret', { secret: [SECRET, ''] }, {}],
    ['a parsed body', 'invalid_input', { rawBody: EVENT as unknown as string }, {}],
    ['a tolerance of 0', 'invalid_input', { toleranceSeconds: 0 }, {}],
    ['an infinite tolerance', 'invalid_input', { toleranceSeconds: Infinity }, {}],
    ['no signature', 'missing_header', {}, { 'X-Service-Signature': undefined }],
    [
      'only the V0 signature',
      'deprecated_scheme',
      {},
      { 'X-Service-Signature': undefined, 'X-Service-Signature-V0': hexHmac(BODY) },
    ],
    ['two signature headers', 'malformed_header', {}, signature([`t=${NOW},v1=${V1}`, `t=${NOW},v1=${V1}`])],
    ['two spellings that disagree', 'malformed_header', {}, { 'x-service-signature': `t=1,v1=${V1}` }],
    ['a timestamp header that disagrees', 'malformed_header', {}, { 'X-Service-Timestamp': String(NOW + 1) }],
    ['no t', 'malformed_header', {}, signature(`v1=${V1}`)],
    ['two t', 'malformed_header', {}, signature(`t=${NOW},t=${NOW},v1=${V1}`)],
    ['a t with a leading zero', 'malformed_header', {}, signature(`t=0${NOW},v1=${V1}`)],
    ['a t that is no whole number', 'malformed_header', {}, signature(`t=${NOW}.0,v1=${V1}`)],
    ['a t of 13 digits', 'malformed_header', {}, signature(`t=1760000000000,v1=${V1}`)],
    ['no v1', 'malformed_header', {}, signature(`t=${NOW}`)],
    ['a v1 of 63 digits', 'malformed_header', {}, signature(`t=${NOW},v1=${V1.slice(1)}`)],
    ['a v1 with a letter that is not hex', 'malformed_header', {}, signature(`t=${NOW},v1=g${V1.slice(1)}`)],
    ['nine v1', 'malformed_header', {}, signature(`t=${NOW}${`,v1=${V1}`.repeat(9)}`)],
    ['a header over 1 kB', 'malformed_header', {}, signature(`t=${NOW},v1=${V1},x=${'y'.repeat(1024)}`)],
    ['a changed body', 'signature_mismatch', { rawBody: BODY.replace('Table 4', 'Table 5') }, {}],
    ['a body written anew', 'signature_mismatch', { rawBody: JSON.stringify(EVENT, null, 2) }, {}],
    ['the secret of another subscription', 'signature_mismatch', { secret: 'other' }, {}],
    [
      'the V0 signature passed off as v1',
      'signature_mismatch',
      {},
      signature(`t=${NOW},v1=${hexHmac(BODY)}`),
    ],
    ['an age of 301 s', 'timestamp_out_of_tolerance', { now: () => (NOW + 301) * 1000 }, {}],
    ['a time 301 s ahead', 'timestamp_out_of_tolerance', { now: () => (NOW - 301) * 1000 }, {}],
    ['a clock that is no number', 'timestamp_out_of_tolerance', { now: () => NaN }, {}],
  ])('with %s is refused: %s', (_what, reason, overrides, headers) => {
    expect(reasonOf(delivery(overrides, headers))).toBe(reason);
  });

  it.each<[string, string | Uint8Array]>([
    ['no JSON', 'hello'],
    ['an array', '[]'],
    ['an object without id and type', '{}'],
    ['bytes that are no UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
  ])('whose signed body is %s is refused: invalid_body', (_what, rawBody) => {
    const headers = { 'X-Service-Signature': signWebhook({ body: rawBody, secret: SECRET, timestamp: NOW }) };
    expect(reasonOf({ ...delivery(), rawBody, headers })).toBe('invalid_body');
  });

  it('is refused where a changed byte hides behind the replacement character', () => {
    const signedBody = new TextEncoder().encode(BODY.replace('Table 4', 'Table \u{fffd}'));
    const headers = {
      'X-Service-Signature': signWebhook({ body: signedBody, secret: SECRET, timestamp: NOW }),
    };
    const changed = Buffer.from(signedBody);
    changed.write('\xff\xff\xff', changed.indexOf(Buffer.from('\u{fffd}')), 'latin1');
    expect(reasonOf({ ...delivery(), rawBody: changed, headers })).toBe('signature_mismatch');
  });

  it('is refused where an old capture is split anew at a dot of its own body', () => {
    const captured = `${NOW}.{"a":1}`;
    const v1 = hexHmac(`1759999999.${captured}`);
    const headers = { 'X-Service-Signature': `t=1759999999.${NOW},v1=${v1}` };
    expect(reasonOf({ ...delivery(), rawBody: '{"a":1}', headers })).toBe('malformed_header');
  });

  it('tells neither secret nor payload', () => {
    try {
      verifyWebhook(delivery({ rawBody: `${BODY} ` }));
    } catch (error) {
      expect(inspect(error, { depth: 9 })).not.toMatch(/whsec|Table 4/);
      expect(JSON.stringify(error)).not.toMatch(/whsec|Table 4/);
    }
    expect.assertions(2);
  });
});
