import { parseSignature, signWebhook } from './signature.ts';

const T = '1760000000';
const V1 = signWebhook({ body: '{}', secret: 'whsec_test', timestamp: Number(T) }).split('v1=')[1]!;
const ZEROS = '0'.repeat(64);
const [v1, zeros] = [Buffer.from(V1, 'hex'), Buffer.from(ZEROS, 'hex')];

/** Payloads of stripe-node's own tests, as stripe 23.1.0 signs them: it has the same scheme. */
it.each<[string, string, string]>([
  ['nothing', '', '155eb952c2fcee3c6a45fbbc1ff5bad252a924a61b200d123a399ae4dc4be128'],
  [
    'JSON',
    '{"obj1":"hello","obj2":"world"}',
    '34c9950450897671bfd9787ec2a7aa8f5ee4d98349c6c34eb392ce87b21158ce',
  ],
  ['an emoji', '\u{1f600}', '3e5772ba1ebd87a318c134500be7eb1d3c1c71db21553e1b31c737781a5219f7'],
])('signWebhook signs %s as stripe-node does, as text and as bytes', (_what, body, v1) => {
  const of = { secret: 'test_secret', timestamp: 1234567890 };
  expect(signWebhook({ ...of, body })).toBe(`t=1234567890,v1=${v1}`);
  expect(signWebhook({ ...of, body: Buffer.from(body) })).toBe(`t=1234567890,v1=${v1}`);
});

describe('parseSignature', () => {
  it.each<[string, string, Buffer[]]>([
    ['a time and a signature', `t=${T},v1=${V1}`, [v1]],
    ['the signature first', `v1=${V1},t=${T}`, [v1]],
    ['a space after the comma', `t=${T}, v1=${V1}`, [v1]],
    ['uppercase hex', `t=${T},v1=${V1.toUpperCase()}`, [v1]],
    ['eight signatures', `t=${T}${`,v1=${ZEROS}`.repeat(7)},v1=${V1}`, [...Array<Buffer>(7).fill(zeros), v1]],
    ['other schemes', `v2=zz=,v0=${ZEROS},V1=,t=${T},v1=${V1},T=0,tt=1,v11=2`, [v1]],
    ['parts without a scheme', `x,,t,v1,=,=1,t=${T},v1=${V1},`, [v1]],
    ['exactly 1 kB', `t=${T},v1=${V1},x=`.padEnd(1024, 'y'), [v1]],
  ])('accepts %s', (_what, header, signatures) =>
    expect(parseSignature(header)).toEqual({ timestamp: T, signatures }),
  );

  it.each(['1', '999999999999'])('is read with t=%s', (t) =>
    expect(parseSignature(`t=${t},v1=${V1}`)?.timestamp).toBe(t),
  );

  it.each<[string, string]>([
    ['words', "I'm not even a real signature header"],
    ['no t', `v1=${V1}`],
    ['two t', `t=${T},t=${T},v1=${V1}`],
    ['no v1', `t=${T}`],
    ['only the V0 scheme', `t=${T},v0=${V1}`],
    ['an uppercase scheme', `t=${T},V1=${V1}`],
    ['a space inside a part', `t =${T},v1=${V1}`],
    ['semicolons', `t=${T};v1=${V1}`],
    ['nine v1', `t=${T}${`,v1=${V1}`.repeat(9)}`],
    ['a valid v1 next to an invalid one', `t=${T},v1=${V1},v1=potato`],
    ['over 1 kB', `t=${T},v1=${V1},x=`.padEnd(1025, 'y')],
  ])('refuses a header: %s', (_what, header) => expect(parseSignature(header)).toBeUndefined());

  it.each<[string, string]>([
    ['empty', ''],
    ['0', '0'],
    ['with a leading zero', `0${T}`],
    ['of 13 digits', '1760000000000'],
    ['with a fraction', `${T}.0`],
    ['with a sign', `+${T}`],
    ['below 0', `-${T}`],
    ['with an exponent', '176e7'],
    ['in hex', '0x68e77800'],
    ['with a separator', '1_760_000_000'],
    ['with a space before it', ` ${T}`],
    ['with a space after it', `${T} `],
    ['with a line break after it', `${T}\n`],
    ['in digits of another script', '१७६०००००००'],
    ['with a second =', `=${T}`],
  ])('refuses a t: %s', (_what, t) => expect(parseSignature(`t=${t},v1=${V1}`)).toBeUndefined());

  it.each<[string, string]>([
    ['empty', ''],
    ['of 63 digits', V1.slice(1)],
    ['of 65 digits', `${V1}0`],
    ["with a letter that isn't hex", `g${V1.slice(1)}`],
    ['followed by a line break', `${V1}\n`],
    ['after a space', ` ${V1}`],
    ['in mixed case', V1.replace(/[a-f]/, (letter) => letter.toUpperCase())],
    ['in letters that Buffer.from accepts as hex', '\u0130'.repeat(64)],
    ['in base64', v1.toString('base64')],
  ])('refuses a v1: %s', (_what, value) => expect(parseSignature(`t=${T},v1=${value}`)).toBeUndefined());
});
