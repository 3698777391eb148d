import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { sampleEvent, signWebhook } from '@qr-service/core/webhook';
import { diagnoseDelivery } from '../src/webhook/diagnoseDelivery.ts';
import type { Delivery } from '../src/webhook/Delivery.ts';

const SECRET = 'whsec_0123456789abcdef';
const SIGNED_AT = 1_790_000_000;
const EVENT = {
  ...sampleEvent('qr.published'),
  data: {
    qrId: 'qr_1',
    source: 'public_api',
    qr: { id: 'qr_1', name: 'Café <1> & 2/3 “naïve”', folderId: null },
  },
};
const BODY = JSON.stringify(EVENT);

type Headers = Record<string, string | string[]>;

const genuine = (body: string | Uint8Array = BODY): Headers => ({
  'Content-Type': 'application/json',
  'X-Service-Timestamp': String(SIGNED_AT),
  'X-Service-Signature': signWebhook({ body, secret: SECRET, timestamp: SIGNED_AT }),
  'X-Service-Delivery': 'dlv_1',
  'X-Service-Event': 'qr.published',
});

const toDelivery = (headers: Headers, body: string | Uint8Array): Delivery => ({
  headers: Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((single): [string, string] => [name, single]),
  ),
  body: Buffer.from(body),
});

/** Findings that aren't `works`, as `id: value`, and the text of all. */
function diagnose(
  headers: Headers,
  body: string | Uint8Array,
  options: Partial<Parameters<typeof diagnoseDelivery>[0]> = {},
) {
  const findings = diagnoseDelivery({
    delivery: toDelivery(headers, body),
    secret: SECRET,
    headerPrefix: 'Service',
    now: () => (SIGNED_AT + 10) * 1000,
    isLive: true,
    ...options,
  });
  const odd = findings.filter(({ verdict }) => verdict !== 'works');
  const text = JSON.stringify(findings);
  for (const secret of [options.secret ?? SECRET, SECRET.trim()]) expect(text).not.toContain(secret);
  return {
    failing: odd.filter(({ verdict }) => verdict === 'fails').map(({ id, value }) => `${id}: ${value ?? ''}`),
    odd: odd.map(({ id, value }) => `${id}: ${value ?? ''}`),
    text: findings.map(({ explanation = '' }) => explanation).join('\n'),
  };
}

test('a genuine delivery has no findings but good ones', () => {
  expect(diagnose(genuine(), BODY).odd).toEqual([]);
});

const json = (text: string): unknown => JSON.parse(text);
const reordered = JSON.stringify(EVENT, Object.keys({ ...EVENT, ...EVENT.data, ...EVENT.data.qr }).sort());
const ascii = (text: string) =>
  text.replaceAll(/[^\0-~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
const latin = { ...EVENT, data: { name: 'Café' } };
const LATIN = JSON.stringify(latin);

/** A body as it was signed, as it arrived, and what must be said of it. */
const CHANGED_BODIES: [
  name: string,
  signed: string | Uint8Array,
  arrived: string | Uint8Array,
  said: RegExp,
][] = [
  [
    'a line break at the end',
    BODY,
    `${BODY}\n`,
    /line break was added at the end\. At byte \d+ \(line 1, column \d+\), there is "\\n" too much/,
  ],
  ['CRLF at the end', BODY, `${BODY}\r\n`, /there is "\\r\\n" too much/],
  [
    'a line break removed',
    `${BODY}\n`,
    BODY,
    /line break at the end was removed\. At the end \(byte \d+, line 1, column \d+\), "\\n" is missing/,
  ],
  [
    'a byte order mark',
    BODY,
    `\uFEFF${BODY}`,
    /byte order mark was added.* At byte 0 \(line 1, column 1\), there is "\\ufeff" too much/,
  ],
  ['spaces around it', BODY, `  ${BODY} \n`, /Whitespace was added/],
  [
    'indented JSON',
    BODY,
    JSON.stringify(EVENT, undefined, 2),
    /serialized again\. At byte 1 \(line 1, column 2\), there is "\\n {2}/,
  ],
  ['compacted JSON', JSON.stringify(EVENT, undefined, 4), BODY, /serialized again\. At byte 1 .*but "\\n/],
  [
    "Python's JSON made compact",
    ascii(BODY).replaceAll(/([,:])(?=["{[n])/g, '$1 '),
    BODY,
    /serialized again/,
  ],
  ["PHP's JSON", ascii(BODY).replaceAll('/', '\\/'), BODY, /serialized again.*was signed/],
  [
    "Go's JSON",
    BODY.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e').replaceAll('&', '\\u0026'),
    BODY,
    /serialized again.*there is "<1> &", but "\\\\u003c/,
  ],
  ['sorted keys', BODY, reordered, /serialized again/],
  ['escaped as ASCII', BODY, ascii(BODY), /serialized again.*there is "\\\\u00e9/],
  [
    'CRLF',
    JSON.stringify(EVENT, undefined, 2),
    JSON.stringify(EVENT, undefined, 2).replaceAll('\n', '\r\n'),
    /LF to CRLF\. At byte 1 .*line 1, column 2/,
  ],
  [
    'LF',
    JSON.stringify(EVENT, undefined, 2).replaceAll('\n', '\r\n'),
    JSON.stringify(EVENT, undefined, 2),
    /CRLF to LF/,
  ],
  [
    'Latin-1',
    LATIN,
    Buffer.from(LATIN, 'latin1'),
    /UTF-8 to Latin-1\. At byte \d+ .*there is 0xE9, but "é" was signed/,
  ],
  ['read as Windows-1252', BODY, new TextDecoder('windows-1252').decode(Buffer.from(BODY)), /Windows-1252/],
  [
    'escaped for HTML',
    BODY,
    BODY.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    /escaped for HTML/,
  ],
  ['JSON in a JSON text', BODY, JSON.stringify(BODY), /JSON text once more/],
  ['JSON in a JSON object', BODY, JSON.stringify({ body: BODY, other: 1 }), /another JSON object/],
  ['parsed into a JSON object', BODY, JSON.stringify({ body: json(BODY) }), /serialized again/],
  ['base64', BODY, Buffer.from(BODY).toString('base64'), /base64/],
  ['a form', BODY, encodeURIComponent(BODY), /form or a URL/],
  ['compressed', BODY, gzipSync(BODY), /compressed/],
];

test.each(CHANGED_BODIES)('a body that was changed on its way: %s', (_, signed, arrived, said) => {
  const { failing, text } = diagnose(genuine(signed), arrived);
  expect(failing).toContain('webhooks.signature: changed body');
  expect(text).toMatch(said);
});

test.each([
  ['changed', (at: number) => `${BODY.slice(0, at)}X${BODY.slice(at + 1)}`, 'there is "X", but'],
  ['removed', (at: number) => BODY.slice(0, at) + BODY.slice(at + 1), 'is missing'],
  ['added', (at: number) => `${BODY.slice(0, at)}~${BODY.slice(at)}`, 'there is "~" too much'],
])('a single byte that was %s is named with its place', (_, change, said) => {
  const at = BODY.indexOf('published');
  const arrived = change(at);
  const { failing, text } = diagnose(genuine(), arrived);
  expect(failing).toContain('webhooks.signature: changed body');
  expect(text).toContain(`At byte ${at} (line 1, column ${at + 1})`);
  expect(text).toContain(said);
});

const SIGNATURE = genuine()['X-Service-Signature'] as string;
const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(genuine()).filter(([name]) => !names.includes(name)));
const OTHER = signWebhook({ body: BODY, secret: 'other', timestamp: SIGNED_AT });

/** Values of the signature header as they arrived, what the finding is, and what must be said. */
const CHANGED_SIGNATURES: [name: string, values: string | string[], value: string, said: RegExp][] = [
  ['two', [OTHER, SIGNATURE], 'changed', /sent 2 times/],
  ['two in one line', `${SIGNATURE}, ${SIGNATURE}`, 'changed', /sent twice/],
  ['folded', SIGNATURE.replace(/,|v1=/g, '$&\n '), 'changed', /folded.*there is "\\n"/],
  ['in quotes', `"${SIGNATURE}"`, 'changed', /in quotes. At character 1/],
  ['with spaces', SIGNATURE.replaceAll('=', ' = '), 'changed', /spaces/],
  ['in upper case', SIGNATURE.toUpperCase(), 'changed', /another case/],
  ['encoded for a URL', encodeURIComponent(SIGNATURE), 'changed', /encoded for a URL/],
  ['with semicolons', SIGNATURE.replace(',', ';'), 'changed', /another way than by commas/],
  ['cut', SIGNATURE.slice(0, -3), 'unreadable', /61 hex digits instead of 64/],
  ['not hexadecimal', SIGNATURE.replace(/.$/, 'g'), 'unreadable', /position 64/],
  ['milliseconds', SIGNATURE.replace(',', '000,'), 'unreadable', /Its t= is in milliseconds/],
  ['Base64', `t=1,v1=${'a'.repeat(43)}=`, 'unreadable', /v1= isn't 64 hex digits, only Base64/],
  ['SHA-512', `sha512=${'0'.repeat(128)}`, 'unreadable', /128 hex digits, as SHA-512 has after sha512=/],
  ['without its time', SIGNATURE.split(',')[1]!, 'unreadable', /has no t=/],
];

/** Headers as they arrived, with the findings and what must be said. */
const CHANGED_HEADERS: [name: string, headers: Headers, failing: string[], said: RegExp][] = [
  ...CHANGED_SIGNATURES.map(([name, values, value, said]): (typeof CHANGED_HEADERS)[number] => [
    `signature: ${name}`,
    { ...genuine(), 'X-Service-Signature': values },
    [`webhooks.signature-header: ${value}`],
    said,
  ]),
  [
    'no signature',
    without('X-Service-Signature'),
    ['webhooks.signature-header: missing'],
    /Headers found: Content-Type, X-Service-Timestamp/,
  ],
  [
    'only the V0 signature',
    { ...without('X-Service-Signature'), 'X-Service-Signature-V0': '0' },
    ['webhooks.signature-header: only V0'],
    /doesn't prevent replays/,
  ],
  [
    'another time in the header',
    { ...genuine(), 'X-Service-Timestamp': String(SIGNED_AT + 60) },
    ['webhooks.timestamp-header: differs from t='],
    /60 seconds later/,
  ],
  [
    'milliseconds in the header',
    { ...genuine(), 'X-Service-Timestamp': `${SIGNED_AT}000` },
    ['webhooks.timestamp-header: differs from t='],
    /milliseconds/,
  ],
  [
    'another t=',
    { ...genuine(), 'X-Service-Signature': SIGNATURE.replace(String(SIGNED_AT), String(SIGNED_AT - 5)) },
    ['webhooks.timestamp-header: differs from t=', 'webhooks.signature: changed header'],
    /t= in X-Service-Signature was changed/,
  ],
  [
    'another prefix',
    Object.fromEntries(
      Object.entries(genuine()).map(([name, value]) => [name.replace('X-Service', 'x-acme'), value]),
    ),
    ['webhooks.prefix: acme'],
    /--header-prefix acme/,
  ],
];

test.each(CHANGED_HEADERS)('headers that were changed on their way: %s', (_, headers, failing, said) => {
  const found = diagnose(headers, BODY);
  expect(found.failing).toEqual(expect.arrayContaining(failing));
  expect(found.text).toMatch(said);
  const { odd } = diagnose(headers, BODY, { secret: SECRET });
  expect(odd.filter((finding) => finding.startsWith('webhooks.event'))).toEqual([]);
});

test.each<[name: string, headers: Headers, differing: string[]]>([
  [
    'Http- before the names',
    Object.fromEntries(Object.entries(genuine()).map(([name, value]) => [`Http-${name}`, value])),
    [],
  ],
  [
    'names in lower case',
    Object.fromEntries(Object.entries(genuine()).map(([name, value]) => [name.toLowerCase(), value])),
    [],
  ],
  ['no timestamp header', without('X-Service-Timestamp'), ['webhooks.timestamp-header: missing']],
])('headers with which the connector still works: %s', (_, headers, differing) => {
  const { odd, failing } = diagnose(headers, BODY);
  expect(failing).toEqual([]);
  expect(odd).toEqual(differing);
});

test.each([
  ['spaces around it', `  ${SECRET}\n`, /spaces or a line break/],
  ['quotes around it', `"${SECRET}"`, /quotes/],
])('a secret that was copied with %s', (_, secret, said) => {
  const { failing, text } = diagnose(genuine(), BODY, { secret });
  expect(failing).toEqual(['webhooks.signature: wrong secret']);
  expect(text).toMatch(said);
});

test("a wrong secret can't be told from a changed body, and the report says so", () => {
  const short = '{"id":"1","type":"qr.published"}';
  const { failing, text } = diagnose(genuine(short), short, { secret: 'another secret' });
  expect(failing).toEqual(['webhooks.signature: mismatch']);
  expect(text).toMatch(/The secret, body or header is wrong; the signature can't show which\./);
});

test('a truncated body is named with its lengths', () => {
  const headers = { ...genuine(), 'Content-Length': String(Buffer.byteLength(BODY)) };
  const { failing, text } = diagnose(headers, BODY.slice(0, 100));
  expect(failing).toContain('webhooks.signature: truncated body');
  expect(text).toContain(`Content-Length is ${Buffer.byteLength(BODY)}, but there are 100 bytes`);
});

const hmac = (message: string, key: string | Buffer = SECRET, algorithm = 'sha256') =>
  createHmac(algorithm, key).update(message);
const SIGNED = `${SIGNED_AT}.${BODY}`;
const SECONDS = `t=${SIGNED_AT},v1=`;

test.each<[name: string, header: string, id: string, said: string]>([
  ['the body alone', SECONDS + hmac(BODY).digest('hex'), '', '<body> alone, as the deprecated V0'],
  ['without the dot', SECONDS + hmac(`${SIGNED_AT}${BODY}`).digest('hex'), '', '<timestamp><body>'],
  ['with the delivery ID', SECONDS + hmac(`dlv_1.${SIGNED}`).digest('hex'), '', '<delivery ID>.<timestamp>'],
  [
    'a decoded secret',
    SECONDS + hmac(SIGNED, Buffer.from('0123456789abcdef', 'base64')).digest('hex'),
    '',
    'decoded from base64',
  ],
  ['Base64', SECONDS + hmac(SIGNED).digest('base64'), '-header', 'HMAC-SHA256 in base64'],
  ['SHA-512', SECONDS + hmac(SIGNED, SECRET, 'sha512').digest('hex'), '-header', 'HMAC-SHA512 in hex'],
  ['a prefix', `sha256=${hmac(BODY).digest('hex')}`, '-header', 'after sha256='],
  [
    'milliseconds',
    `t=${SIGNED_AT}123,v1=${hmac(`${SIGNED_AT}123.${BODY}`).digest('hex')}`,
    '-header',
    'with the time in milliseconds',
  ],
])('a service that signs in another way: %s', (_, header, id, said) => {
  const headers = { ...genuine(), 'X-Service-Signature': header };
  const { failing, text } = diagnose(headers, BODY);
  expect(failing).toEqual([`webhooks.signature${id}: other scheme`]);
  expect(text).toContain(said);
  const renamed = diagnose({ 'X-Hub-Signature-256': header }, BODY).text;
  if (!header.includes(SECONDS)) expect(renamed).toContain('is called X-Hub-Signature-256');
});

test.each([
  ['live', true, [expect.stringMatching(/^webhooks\.age: \d hours ago$/)]],
  ['offline', false, []],
])('the age of a signature is judged %s', (_, isLive, failing) => {
  const now = () => (SIGNED_AT + 7201) * 1000;
  expect(diagnose(genuine(), BODY, { isLive, now }).failing).toEqual(failing);
});

test.each([
  ['', 'it is empty'],
  ['hello', "it isn't JSON"],
  ['[]', "it isn't a JSON object"],
  ['{"id":"1"}', 'it has no type'],
])('a genuine body that is not an event: %s', (body, said) => {
  const { failing, text } = diagnose(genuine(body), body);
  expect(failing).toEqual(['webhooks.event: unreadable']);
  expect(text).toContain(said);
});

test.each([
  ['in the same form', BODY],
  ['indented', JSON.stringify(EVENT, undefined, 2)],
])('values without bytes prove the secret, but not the bytes: signed %s', (_, signed) => {
  const delivery = { ...toDelivery(genuine(signed), BODY), rebuilt: 'Parsed.' };
  const { failing, odd } = diagnose({}, '', { delivery });
  expect(failing).toEqual([]);
  expect(odd).toEqual(['webhooks.body: ', 'webhooks.signature: right values']);
});

test('values without bytes are never called truncated or changed', () => {
  const headers = { ...genuine(BODY.replace(':', ' : ')), 'Content-Length': '9999' };
  const { odd, text } = diagnose({}, '', { delivery: { ...toDelivery(headers, BODY), rebuilt: 'Parsed.' } });
  expect(odd).toEqual(['webhooks.body: ', 'webhooks.signature: no match']);
  expect(text).toContain('capture the delivery with its body as text');
});

test('a header that is spelled as a variable is found', () => {
  const headers = { HTTP_X_SERVICE_SIGNATURE: SIGNATURE };
  const { failing, text } = diagnose(headers, BODY);
  expect(failing).toEqual(['webhooks.signature-header: renamed']);
  expect(text).toContain('X-Service-Signature is called HTTP_X_SERVICE_SIGNATURE');
});
