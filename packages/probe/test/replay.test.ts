import { createHmac } from 'node:crypto';
import { SERVICE_HEADERS as NAMES } from '@qr-service/core/connector';
import { sampleEvent, signWebhook } from '@qr-service/core/webhook';
import { CaptureError, readCapture } from '../src/webhook/capture.ts';
import { diagnose } from '../src/webhook/diagnose.ts';
import type { Delivery } from '../src/webhook/Receiver.ts';

const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZg==';
const TIME = 1_790_000_000;
const EVENT = sampleEvent('qr.published');
const BODY = JSON.stringify(EVENT);
const SIGNATURE = signWebhook({ body: BODY, secret: SECRET, timestamp: TIME });

const headersOf = (signature: string): Delivery['headers'] => [
  ['Content-Type', 'application/json'],
  [NAMES.timestamp, String(TIME)],
  [NAMES.delivery, 'dlv_1'],
  [NAMES.signature, signature],
];
const signed = (
  body: string,
  signature = signWebhook({ body, secret: SECRET, timestamp: TIME }),
): Delivery => ({
  headers: headersOf(signature),
  body: Buffer.from(body),
});
const hmac = (text: string, algorithm = 'sha256', key: Buffer | string = SECRET) =>
  createHmac(algorithm, key).update(text);

const look = (delivery: Delivery, secret = SECRET, isLive = false, now = TIME * 1000) =>
  diagnose({ delivery, secret, now: () => now, isLive });

test('accepts a genuine delivery from an old capture', () => {
  const { steps, event } = look(signed(BODY), SECRET, false, (TIME + 86_400) * 1000);
  expect(event).toBe('qr.published');
  expect(steps.map(({ verdict, value }) => [verdict, value])).toEqual([
    ['works', 'X-Service-Signature'],
    ['works', 'valid'],
    ['works', '24 hours ago'],
    ['works', 'qr.published'],
  ]);
});

const spaced = BODY.replaceAll(/"(?:[^"\\]|\\.)*"|[,:]/g, (token) =>
  token.length === 1 ? `${token} ` : token,
);
const OF_SPACED = signWebhook({ body: spaced, secret: SECRET, timestamp: TIME });
const INDENTED = JSON.stringify(EVENT, undefined, 2);
const with_ = (...headers: Delivery['headers']): Delivery => ({ headers, body: Buffer.from(BODY) });
const CUT: Delivery = {
  headers: [...headersOf(SIGNATURE), ['Content-Length', '900']],
  body: Buffer.from(BODY.slice(0, 99)),
};
const BODY_ALONE = `sha256=${hmac(BODY).digest('hex')}`;
const STANDARD = hmac(`dlv_1.${TIME}.${BODY}`, 'sha256', Buffer.from(SECRET.slice(6), 'base64'));
const STANDARD_WEBHOOK = with_(
  [NAMES.delivery, 'dlv_1'],
  [NAMES.timestamp, String(TIME)],
  ['webhook-signature', `v1,${STANDARD.digest('base64')}`],
);
const DECODED = '<delivery ID>.<timestamp>.<body>, keyed with the secret decoded from base64';

test.each<[what: string, delivery: Delivery, value: string, said: string, secret?: string]>([
  ['another secret', signed(BODY), 'no match', "belongs to this delivery's subscription", 'whsec_other'],
  ['a secret with a line break', signed(BODY), 'wrong secret', 'spaces or a line break', `${SECRET}\n`],
  ['a secret in quotes', signed(BODY), 'wrong secret', 'quotes around it', `"${SECRET}"`],
  ['another body', signed(BODY.replace('dynamic', 'static'), SIGNATURE), 'no match', 'the body is wrong'],
  [
    'a line break at the end',
    signed(`${BODY}\n`, SIGNATURE),
    'changed body',
    'Whitespace, such as a line break, was added',
  ],
  ['JSON with indents', signed(INDENTED, SIGNATURE), 'changed body', 'without spaces'],
  ['JSON from Python made compact', signed(BODY, OF_SPACED), 'changed body', 'as Python writes it'],
  ['a body that is cut off', CUT, 'truncated body', 'Content-Length is 900, but there are 99 bytes'],
  ['no signature', with_(['Host', 'a']), 'missing', 'Headers found: Host.'],
  ['only the old signature', with_([NAMES.signatureV0, 'v0=1']), 'only V0', 'deprecated'],
  ['another prefix', with_(['X-Acme-Signature', SIGNATURE]), 'other prefix', 'built for Acme'],
  ['two signatures', with_([NAMES.signature, '1'], [NAMES.signature, '2']), 'sent twice', 'two different'],
  ['no time', signed(BODY, SIGNATURE.replace(/t=\d+,/, '')), 'unreadable', 'It has no t=.'],
  ['milliseconds', signed(BODY, SIGNATURE.replace(/t=\d+/, '$&000')), 'unreadable', 'milliseconds'],
  ['no v1', signed(BODY, `t=${TIME}`), 'unreadable', 'It has no v1=.'],
  ['half a signature', signed(BODY, SIGNATURE.slice(0, -9)), 'unreadable', 'but has 55 characters'],
  [
    'another time',
    with_([NAMES.timestamp, '5'], [NAMES.signature, SIGNATURE]),
    'times differ',
    'Timestamp is 5',
  ],
  ['a signature of the body', signed(BODY, BODY_ALONE), 'other scheme', 'SHA256 in hex over <body> alone'],
  ['the scheme of Standard Webhooks, under its own name', STANDARD_WEBHOOK, 'other scheme', DECODED],
  ['a body that is no event', signed('{"a":1}'), 'unreadable', "JSON with an event's ID and type"],
])('says why it rejects %s', (_what, delivery, value, said, secret = SECRET) => {
  const { steps, event } = look(delivery, secret);
  expect(event).toBeUndefined();
  const failing = steps.filter(({ verdict }) => verdict === 'fails');
  expect(failing).toEqual([
    expect.objectContaining({ value, explanation: expect.stringContaining(said) as string }),
  ]);
  expect(JSON.stringify(steps)).not.toContain(SECRET);
});

test.each([301, -301])('rejects a delivery that just arrived but was signed %s s ago', (seconds) => {
  const { steps } = look(signed(BODY), SECRET, true, (TIME + seconds) * 1000);
  expect(steps.find(({ verdict }) => verdict === 'fails')?.explanation).toContain('more than 300 s');
});

describe('a capture', () => {
  const headers = Object.fromEntries(headersOf(SIGNATURE));
  const text = (lineBreak: string, body = BODY) =>
    [...headersOf(SIGNATURE).map(([name, value]) => `${name}: ${value}`), '', body].join(lineBreak);

  const lower = Object.fromEntries(headersOf(SIGNATURE).map(([name, value]) => [name.toLowerCase(), value]));
  const N8N = {
    headers: lower,
    params: {},
    query: {},
    body: EVENT,
    webhookUrl: 'https://n/',
    executionMode: 'test',
  };
  const lists = Object.fromEntries(Object.entries(lower).map(([name, value]) => [name, [value]]));
  const SITE = { uuid: 'a', type: 'web', method: 'POST', content: BODY, query: null, headers: lists };
  const HAR = {
    method: 'POST',
    url: 'https://a.example/hook',
    headers: headersOf(SIGNATURE).map(([name, value]) => ({ name, value })),
    postData: { mimeType: 'application/json', text: BODY },
  };

  test.each<[what: string, file: string]>([
    ['JSON', JSON.stringify({ headers, body: BODY })],
    [
      'JSON with lists',
      JSON.stringify({ headers: { ...headers, [NAMES.signature]: [SIGNATURE] }, body: BODY }),
    ],
    ['JSON with base64', JSON.stringify({ headers, body: btoa(BODY), isBase64Encoded: true })],
    ['what the editor of n8n copies', JSON.stringify([N8N])],
    ['an item of n8n', JSON.stringify([{ json: N8N, pairedItem: { item: 0 } }])],
    ['a request of webhook.site', JSON.stringify(SITE)],
    ['a list of webhook.site', JSON.stringify({ data: [SITE], total: 1, is_last_page: true })],
    ['a HAR', JSON.stringify({ log: { version: '1.2', entries: [{ request: HAR, response: {} }] } })],
    ['an entry of a HAR', JSON.stringify({ request: HAR, response: { headers: [] } })],
    ['the request of a HAR', JSON.stringify(HAR)],
    ['a HAR with base64', JSON.stringify({ ...HAR, postData: { text: btoa(BODY), encoding: 'base64' } })],
    ['a request', `POST /hook HTTP/1.1\r\n${text('\r\n')}`],
    ['a request that an editor saved', `Content-Length: ${BODY.length}\n${text('\n', `${BODY}\n`)}`],
  ])('is read from %s', (_what, file) => {
    expect(look(readCapture(Buffer.from(file))).event).toBe('qr.published');
  });

  test("with a parsed body can't show whether its bytes were changed", () => {
    const delivery = readCapture(Buffer.from(JSON.stringify({ headers, body: EVENT })));
    expect(look(delivery).event).toBe('qr.published');
    for (const [signature, value] of [
      [OF_SPACED, 'right values'],
      [SIGNATURE.replace(/.{4}$/, '0000'), 'no match'],
    ]) {
      const { steps, event } = look({ ...delivery, headers: headersOf(signature!) });
      expect(event).toBeUndefined();
      expect(steps).toContainEqual(expect.objectContaining({ verdict: 'unknown', value }));
    }
  });

  test.each([
    ['', 'The file is empty.'],
    ['{}', 'The JSON has no "headers".'],
    ['[]', 'The JSON has no "headers".'],
    ['[null]', 'The JSON has no "headers".'],
    ['{"headers":"a","body":"b"}', 'The JSON has no "headers".'],
    ['{"headers":{},"content":null}', 'The JSON has no "body".'],
    ['[{"headers":{},"body":"a"},{"headers":{},"body":"b"}]', 'The JSON has 2 requests. Keep one of them.'],
    ['{"log":{"entries":[{},{},{}]}}', 'The JSON has 3 requests. Keep one of them.'],
    ['POST / HTTP/1.1\nHost: a', 'There is no empty line between headers and body.'],
    ['Host: a\nhello\n\nbody', "Line 2 of the headers isn't a header."],
    ['Transfer-Encoding: chunked\n\n5\nhello\n0\n', 'The body is still in chunks'],
  ])("that isn't valid is rejected with the reason: %j", (file, said) => {
    expect(() => readCapture(Buffer.from(file))).toThrow(CaptureError);
    expect(() => readCapture(Buffer.from(file))).toThrow(said);
  });
});
