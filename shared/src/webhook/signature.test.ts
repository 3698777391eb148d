import crypto from 'node:crypto';
import { parseSignature, signatureMatches, signWebhook } from './signature.ts';

const T = '1760000000';
const V1 = signWebhook({ body: '{}', secret: 'whsec_test', timestamp: Number(T) }).split('v1=')[1]!;
const ZEROS = '0'.repeat(64);
const [v1, zeros] = [Buffer.from(V1, 'hex'), Buffer.from(ZEROS, 'hex')];

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

it('compares every pair in constant time', () => {
  const compare = jest.spyOn(crypto, 'timingSafeEqual');
  const parsed = { timestamp: T, signatures: [v1, zeros] };
  expect(signatureMatches(parsed, '{}', ['whsec_test', 'other'])).toBe(true);
  expect(compare).toHaveBeenCalledTimes(4);
});

const words = (text: string) => text.trim().split(/\s+/);

describe('parseSignature', () => {
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
  ])('accepts %s', (_what, header, signatures, timestamp = T) =>
    expect(parseSignature(header)).toEqual({ timestamp, signatures }),
  );

  it.each([
    ['no t', `v1=${V1}`],
    ['two t', `t=${T},t=${T},v1=${V1}`],
    ['no v1', `t=${T}`],
    ['an uppercase scheme', `t=${T},V1=${V1}`],
    ['a space inside a part', `t =${T},v1=${V1}`],
    ['semicolons', `t=${T};v1=${V1}`],
    ['nine v1', `t=${T}${`,v1=${V1}`.repeat(9)}`],
    ['a valid v1 next to an invalid one', `t=${T},v1=${V1},v1=potato`],
    ['over 1 kB', `t=${T},v1=${V1},x=`.padEnd(1025, 'y')],
  ])('refuses %s', (_what, header) => expect(parseSignature(header)).toBeUndefined());

  it.each([
    ...words(`0 0${T} 1760000000000 ${T}.0 +${T} -${T} 176e7 0x68e77800 1_760_000_000 १७६००००००० =${T}`),
    ...['', ` ${T}`, `${T} `, `${T}\n`],
  ])('refuses t=%j', (t) => expect(parseSignature(`t=${t},v1=${V1}`)).toBeUndefined());

  const mixedCase = V1.replace(/[a-f]/, (letter) => letter.toUpperCase());
  // Buffer.from accepts the wide letters as hex.
  const noHex = [`g${V1.slice(1)}`, mixedCase, v1.toString('base64'), '\u0130'.repeat(64)];
  it.each(['', V1.slice(1), `${V1}0`, `${V1}\n`, ` ${V1}`, ...noHex])('refuses v1=%j', (value) =>
    expect(parseSignature(`t=${T},v1=${value}`)).toBeUndefined(),
  );
});
