import { Buffer } from 'node:buffer';
import { sampleEvent } from '@qr-service/core/webhook';
import { readCapture } from '../src/webhook/readCapture.ts';

const BODY = JSON.stringify(sampleEvent('qr.published'));
const HEADERS = { 'X-Service-Signature': 't=1,v1=00', 'X-Service-Event': 'qr.published' };
const PAIRS = Object.entries(HEADERS);
const base64 = Buffer.from(BODY).toString('base64');
const head = PAIRS.map(([name, value]) => `${name}: ${value}`);

test.each<[string, string | Buffer]>([
  ['an object of headers', JSON.stringify({ headers: HEADERS, body: BODY })],
  [
    'lists of values',
    JSON.stringify({
      headers: Object.fromEntries(PAIRS.map(([name, value]) => [name, [value]])),
      body: BODY,
    }),
  ],
  ['pairs', JSON.stringify({ headers: PAIRS, body: BODY })],
  [
    'names and values',
    JSON.stringify({ headers: PAIRS.map(([name, value]) => ({ name, value })), rawBody: BODY }),
  ],
  ['base64', JSON.stringify({ headers: HEADERS, body: base64, isBase64Encoded: true })],
  ['a list, as n8n exports', JSON.stringify([{ json: { headers: HEADERS, body: BODY } }])],
  [
    'an HTTP archive',
    JSON.stringify({
      request: {
        headers: PAIRS.map(([name, value]) => ({ name, value })),
        postData: { mimeType: 'application/json', text: BODY },
      },
    }),
  ],
  ['a byte order mark', `\uFEFF${JSON.stringify({ headers: HEADERS, body: BODY })}`],
  ['a request', ['POST /hook HTTP/1.1', ...head, '', BODY].join('\r\n')],
  ['a request with LF', ['POST /hook HTTP/1.1', ...head, '', BODY].join('\n')],
  ['headers and body', [...head, '', BODY].join('\n')],
  [
    'chunks',
    [
      'POST / HTTP/1.1',
      ...head,
      'Transfer-Encoding: chunked',
      '',
      Buffer.byteLength(BODY).toString(16),
      BODY,
      '0',
      '',
      '',
    ].join('\r\n'),
  ],
])('reads %s', (_, file) => {
  const { headers, body, rebuilt } = readCapture(Buffer.from(file));
  expect(Buffer.from(body).toString()).toBe(BODY);
  expect(headers).toEqual(expect.arrayContaining(PAIRS));
  expect(rebuilt).toBeUndefined();
});

const REQUEST = ['POST /hook HTTP/1.1', ...head, '', BODY].join('\r\n');
const VISIT = { headers: { Accept: ['text/html'] }, body: '' };

/** What the tools export, with a visit of a browser next to the delivery. */
test.each<[string, unknown]>([
  [
    'ngrok',
    {
      uri: '/api/requests/http',
      requests: [
        {
          request: {
            method: 'GET',
            headers: { Accept: ['*/*'] },
            raw: btoa('GET / HTTP/1.1\r\nAccept: */*\r\n\r\n'),
          },
        },
        {
          request: {
            method: 'POST',
            headers: Object.fromEntries(PAIRS.map(([name, value]) => [name, [value]])),
            uri: '/hook',
            raw: Buffer.from(REQUEST).toString('base64'),
          },
          response: { status_code: 200, headers: {}, raw: '' },
        },
      ],
    },
  ],
  [
    'webhook.site',
    {
      data: [
        { ...VISIT, content: '' },
        { uuid: '1', headers: HEADERS, content: BODY },
      ],
      total: 2,
    },
  ],
  [
    'an HTTP archive of a browser',
    {
      log: {
        entries: [
          { request: { headers: [], postData: undefined } },
          {
            request: {
              headers: PAIRS.map(([name, value]) => ({ name, value })),
              postData: { mimeType: 'application/json', text: base64, encoding: 'base64' },
            },
          },
        ],
      },
    },
  ],
  [
    'API Gateway',
    { headers: {}, multiValueHeaders: Object.fromEntries(PAIRS.map(([n, v]) => [n, [v]])), body: BODY },
  ],
  [
    'a function with the text and the values',
    { headers: HEADERS, body: JSON.parse(BODY) as unknown, rawBody: BODY },
  ],
  ['Pipedream', { trigger: { event: { headers: HEADERS, bodyRaw: BODY } } }],
  ['Zapier', { headers: HEADERS, raw_body: BODY }],
  [
    'n8n with the raw body',
    [{ json: { headers: HEADERS, body: {} }, binary: { data: { data: base64, mimeType: 'a/b' } } }],
  ],
  ['a Buffer of Node.js', { headers: HEADERS, body: Buffer.from(BODY).toJSON() }],
  ['.NET', { Headers: PAIRS.map(([Key, value]) => ({ Key, Value: [value] })), Body: BODY }],
  ['a list of several requests', [VISIT, { headers: HEADERS, body: BODY }]],
  ['a raw request', { headers: HEADERS, raw_request: REQUEST, body: 'changed' }],
])('reads what %s exports', (_, json) => {
  const { headers, body, rebuilt } = readCapture(Buffer.from(JSON.stringify(json)));
  expect(Buffer.from(body).toString()).toBe(BODY);
  expect(headers).toEqual(expect.arrayContaining(PAIRS));
  expect(rebuilt).toBeUndefined();
});

test('reads headers next to the body, as smee.io sends them', () => {
  const { headers, body } = readCapture(
    Buffer.from(JSON.stringify({ ...HEADERS, body: JSON.parse(BODY) as unknown, timestamp: 1 })),
  );
  expect(headers).toEqual(PAIRS);
  expect(Buffer.from(body).toString()).toBe(BODY);
});

test('reads what PowerShell writes, in UTF-16', () => {
  const file = Buffer.from(`\uFEFF${JSON.stringify({ headers: HEADERS, body: BODY })}`, 'utf16le');
  expect(Buffer.from(readCapture(file).body).toString()).toBe(BODY);
});

test('says how many other deliveries a file has', () => {
  const delivery = { headers: HEADERS, body: BODY };
  expect(readCapture(Buffer.from(JSON.stringify([delivery, VISIT, delivery, delivery]))).others).toBe(2);
});

test.each(['\n', '\r\n', '\n\n'])(
  'leaves out %j that an editor added after the length of the body',
  (end) => {
    const length = `Content-Length: ${Buffer.byteLength(BODY)}`;
    const file = [...head, length, '', BODY + end].join('\n');
    expect(Buffer.from(readCapture(Buffer.from(file)).body).toString()).toBe(BODY);
    const without = [...head, '', BODY + end].join('\n');
    expect(Buffer.from(readCapture(Buffer.from(without)).body).toString()).toBe(BODY + end);
  },
);

test('keeps bytes, folded headers and headers that were sent twice', () => {
  const bytes = Buffer.from([0xe9, 0x00, 0x0d, 0x0a]);
  const file = Buffer.concat([Buffer.from('A: 1\r\nA: 2\r\nB: 3,\r\n\t4\r\n\r\n'), bytes]);
  const { headers, body } = readCapture(file);
  expect(headers).toEqual([
    ['A', '1'],
    ['A', '2'],
    ['B', '3,\n4'],
  ]);
  expect(Buffer.from(body)).toEqual(bytes);
});

test('a body that was parsed is used, and the report says that its bytes are unknown', () => {
  const { body, rebuilt } = readCapture(
    Buffer.from(JSON.stringify({ headers: HEADERS, body: JSON.parse(BODY) as unknown })),
  );
  expect(Buffer.from(body).toString()).toBe(BODY);
  expect(rebuilt).toMatch(/original bytes are unknown/);
});

test.each<[string, string]>([
  ['', 'The file is empty.'],
  ['{}', 'It has no headers.'],
  ['[]', 'It has no headers.'],
  ['"text"', 'It has no headers.'],
  ['{"headers":{}}', 'It has no body.'],
  ['{"headers":{"a":{}},"body":""}', 'Its headers must be texts.'],
  ['{"headers":{},"body":"!","encoding":"base64"}', "Its body isn't valid base64."],
  ['just some text', 'It is neither JSON nor a request as text.'],
  ['A: 1\nB: 2', 'It has no empty line between headers and body.'],
])('refuses %j', (file, said) => {
  expect(() => readCapture(Buffer.from(file))).toThrow(said);
});
