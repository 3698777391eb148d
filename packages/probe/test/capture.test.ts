import { Buffer } from 'node:buffer';
import { sampleEvent, signWebhook } from '@qr-service/core/webhook';
import { fc } from '../../../test/support/fastCheck.ts';
import { runs } from '../../../test/support/seed.ts';
import { judgeReplay } from '../src/report/replayReport.ts';
import { readCapture } from '../src/webhook/capture/readCapture.ts';
import { diagnoseDelivery } from '../src/webhook/diagnoseDelivery.ts';

type Pairs = readonly (readonly [name: string, value: string])[];
type Write = (headers: Pairs, body: string) => unknown;

const base64 = (text: string) => Buffer.from(text).toString('base64');
const lines = (headers: Pairs, start = '') => headers.map(([name, value]) => `${start}${name}: ${value}`);
const lists = (headers: Pairs) => Object.fromEntries(headers.map(([name, value]) => [name, [value]]));
const named = (headers: Pairs) => headers.map(([name, value]) => ({ name, value }));
const asVariables = (headers: Pairs, start = 'http_') =>
  Object.fromEntries(
    headers.map(([name, value]) => [start + name.toLowerCase().replaceAll('-', '_'), value]),
  );
const request = (headers: Pairs, body: string) =>
  ['POST /hook HTTP/1.1', ...lines(headers), '', body].join('\r\n');
const VISIT = { headers: { Accept: ['text/html'] }, body: '' };

const csv = (cell: (text: string) => string) => (headers: Pairs, body: string) =>
  [
    'uuid,method,headers,content',
    ['1', 'GET', cell('{"accept":["text/html"]}'), ''].join(','),
    ['2', 'POST', cell(JSON.stringify(lists(headers))), cell(body)].join(','),
  ].join('\r\n');
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

const curl =
  (quote: (text: string) => string, more = ' \\\n  ') =>
  (headers: Pairs, body: string) =>
    ['curl', quote('https://a.example.com/hook'), ...lines(headers).map((one) => `-H ${quote(one)}`)]
      .concat(`--data-raw ${quote(body)}`, '--compressed')
      .join(more);
const single = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const ansi = (text: string) =>
  `$'${text
    .replaceAll(/[\\']/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll(
      /[\p{Cc}!\u0080-\uffff]/gu,
      (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )}'`;
const mitmdump = (headers: Pairs, body: string) =>
  [
    '203.0.113.9:53212: GET https://a.example.com/',
    '    accept: */*',
    '',
    ' << 200 OK 0b',
    '    x-response-signature: none',
    '',
    '203.0.113.9:53212: POST https://a.example.com/hook HTTP/2.0',
    ...lines(headers, '    '),
    '',
    ...body
      .trim()
      .split('\n')
      .map((line) => `    ${line}`),
    '',
    ' << HTTP/2.0 204 No Content 0b',
    '    x-request-id: 1',
    '',
  ].join('\n');
const valueOf = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
};
const pretty: Write = (headers, body) => {
  const value = valueOf(body);
  return mitmdump(headers, typeof value === 'string' ? body : JSON.stringify(value, undefined, 4));
};
const node = (item: unknown) => [{ data: { main: [[item]] } }];

/** A delivery as tools write it, some with a visit of a browser next to it. Values that aren't texts are JSON. */
const TOOLS: readonly [name: string, write: Write][] = [
  ['an object of headers', (headers, body) => ({ headers: Object.fromEntries(headers), body })],
  ['pairs', (headers, body) => ({ headers, body })],
  ['base64', (headers, body) => ({ headers, body: base64(body), isBase64Encoded: true })],
  ['a byte order mark', (headers, body) => `\uFEFF${JSON.stringify({ headers, body })}`],
  [
    'UTF-16 of PowerShell',
    (headers, body) => Buffer.from(`\uFEFF${JSON.stringify({ headers, body })}`, 'utf16le'),
  ],
  ['a Buffer of Node.js', (headers, body) => ({ headers, body: Buffer.from(body).toJSON() })],
  ['.NET', (headers, Body) => ({ Headers: headers.map(([Key, value]) => ({ Key, Value: [value] })), Body })],
  ['the text and the values', (headers, rawBody) => ({ headers, body: { id: 1 }, rawBody })],
  ['a raw request', (headers, body) => ({ headers, raw_request: request(headers, body), body: 'changed' })],
  [
    'ngrok',
    (headers, body) => ({
      uri: '/api',
      requests: [
        { request: VISIT },
        {
          request: { method: 'POST', headers: lists(headers), raw: base64(request(headers, body)) },
          response: { headers: {}, raw: '' },
        },
      ],
    }),
  ],
  [
    'webhook.site',
    (headers, content) => ({
      data: [
        { ...VISIT, content: '' },
        { uuid: '1', headers: lists(headers), content },
      ],
      total: 2,
    }),
  ],
  ['webhook.site as CSV', csv(quoted)],
  ['CSV of PHP', csv((text) => `"${text.replaceAll(/(?<!\\)"/g, '""')}"`)],
  [
    'an HTTP archive',
    (headers, text) => ({
      log: {
        entries: [
          { request: { headers: [] } },
          {
            request: {
              headers: named(headers),
              postData: { mimeType: 'application/json', text: base64(text), encoding: 'base64' },
            },
            response: { headers: named(headers), content: {} },
          },
        ],
      },
    }),
  ],
  ['API Gateway', (headers, body) => ({ headers: {}, multiValueHeaders: lists(headers), body })],
  ['Pipedream', (headers, bodyRaw) => ({ trigger: { event: { headers, bodyRaw } } })],
  ['smee.io', (headers, body) => ({ ...Object.fromEntries(headers), body, timestamp: 1 })],
  [
    "Zapier's Catch Raw Hook",
    (headers, raw_body) => [{ headers: asVariables(headers), raw_body, querystring: '' }],
  ],
  ['Zapier, copied', (headers, body) => ({ ...asVariables(headers, 'headers__http_'), 'Raw Body': body })],
  [
    "n8n's items",
    (headers, body) => [
      {
        json: { headers: Object.fromEntries(headers), body: {} },
        binary: { data: { data: base64(body), mimeType: 'a/b' } },
      },
    ],
  ],
  [
    "n8n's execution",
    (headers, body) => ({
      id: '7',
      workflowData: { nodes: [] },
      data: {
        resultData: {
          runData: {
            Webhook: node({
              json: { headers: Object.fromEntries(headers), body: {}, webhookUrl: 'https://n.example.com' },
              binary: { data: { data: base64(body), mimeType: 'a/b' } },
            }),
            HTTP: node({ json: { headers: { 'x-signature': '1' }, statusCode: 200, body: 'x' } }),
          },
        },
      },
    }),
  ],
  ['a request', request],
  ['headers and body', (headers, body) => [...lines(headers), '', body].join('\n')],
  [
    'chunks',
    (headers, body) =>
      request(
        [...headers, ['Transfer-Encoding', 'chunked']],
        [Buffer.byteLength(body).toString(16), body, '0', '', ''].join('\r\n'),
      ),
  ],
  ['curl', curl(single)],
  [
    'curl with a prompt',
    (headers, body) => `$ ${curl(single, ' ')(headers, body).replace('--data-raw ', '-sd')} | jq .`,
  ],
  ['curl of Chrome', curl(ansi)],
  ['curl in double quotes', curl((text) => `"${text.replaceAll(/[\\"$`]/g, '\\$&')}"`)],
  [
    'curl -v',
    (headers, body) =>
      [
        curl(single)([], body),
        '* Connected',
        '> POST /hook HTTP/2',
        ...lines(headers, '> '),
        '> ',
        '* upload completely sent off',
        '< HTTP/2 204',
        '< x-signature: no',
      ].join('\n'),
  ],
  [
    'mitmdump',
    (headers, body) => mitmdump([...headers, ['content-length', String(Buffer.byteLength(body))]], body),
  ],
  ['mitmdump with its own form', pretty],
  ['values', (headers, body) => ({ headers, body: valueOf(body) })],
];
const write = (tool: Write, headers: Pairs, body: string): Buffer => {
  const file = tool(headers, body);
  return Buffer.isBuffer(file) ? file : Buffer.from(typeof file === 'string' ? file : JSON.stringify(file));
};

const SECRET = 'whsec_0123456789abcdef';
const SIGNED_AT = 1_790_000_000;
const BODY = JSON.stringify({ ...sampleEvent('qr.published'), note: "Café “1%”, it's $HOME & <b>" });
const signed = (body: string): Pairs => [
  ['X-Service-Signature', signWebhook({ body, secret: SECRET, timestamp: SIGNED_AT })],
  ['X-Service-Timestamp', String(SIGNED_AT)],
  ['X-Service-Event', 'qr.published'],
  ['X-Service-Delivery', 'dlv_1'],
];
const now = () => SIGNED_AT * 1000;
const verdict = (file: Uint8Array) => {
  const delivery = readCapture(file);
  const input = { delivery, secret: SECRET, headerPrefix: 'Service', now, isLive: false };
  return judgeReplay(diagnoseDelivery(input)).verdict;
};

test.each(TOOLS)('the same delivery has the same verdict: %s', (name, tool) => {
  const isRebuilt = ['mitmdump with its own form', 'values'].includes(name);
  expect(readCapture(write(tool, signed(BODY), BODY)).rebuilt === undefined).toBe(!isRebuilt);
  expect(verdict(write(tool, signed(BODY), BODY))).toBe(isRebuilt ? 'unknown' : 'works');
  expect(verdict(write(tool, signed(`${BODY}\n`), BODY))).toBe(isRebuilt ? 'unknown' : 'fails');
});

test('a delivery that is written in any form and read back is the same, or said to be rebuilt', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc
      .array(fc.constantFrom(...Array.from('\\"\'^%$!\n\r,{}:; é“a@`&<')), { minLength: 1 })
      .map((all) => all.join('')),
    fc.json(),
  );
  fc.assert(
    fc.property(fc.constantFrom(...TOOLS), text, ([, tool], any) => {
      const body = `{${any}}`;
      const headers = signed(body);
      const read = readCapture(write(tool, headers, body));
      expect(read.headers.map(([, value]) => value)).toEqual(
        expect.arrayContaining(headers.map(([, value]) => value)),
      );
      if (read.rebuilt === undefined) expect(Buffer.from(read.body).toString()).toBe(body);
    }),
    { numRuns: runs(500, 10_000) },
  );
});

test('says how many other deliveries a file has, each counted once', () => {
  const delivery = (id: number) => ({ headers: Object.fromEntries(signed(String(id))), body: String(id) });
  const file = [delivery(1), VISIT, delivery(2), delivery(1), delivery(3)];
  expect(readCapture(Buffer.from(JSON.stringify(file))).others).toBe(2);
});

test.each(['\n', '\r\n', '\n\n'])(
  'leaves out %j that an editor added after the length of the body',
  (end) => {
    const file = (headers: Pairs) => Buffer.from([...lines(headers), '', BODY + end].join('\n'));
    const length = ['Content-Length', String(Buffer.byteLength(BODY))] as const;
    expect(Buffer.from(readCapture(file([...signed(BODY), length])).body).toString()).toBe(BODY);
    expect(Buffer.from(readCapture(file(signed(BODY))).body).toString()).toBe(BODY + end);
  },
);

test('keeps bytes, folded headers and headers that were sent twice', () => {
  const bytes = Buffer.from([0xe9, 0x00, 0x0d, 0x0a]);
  const file = Buffer.concat([Buffer.from('X-A: 1\r\nX-A: 2\r\nB: 3,\r\n\t4\r\n\r\n'), bytes]);
  const { headers, body } = readCapture(file);
  expect(headers).toEqual([
    ['X-A', '1'],
    ['X-A', '2'],
    ['B', '3,\n4'],
  ]);
  expect(Buffer.from(body)).toEqual(bytes);
});

test.each<[string | unknown[] | object, string]>([
  ['', 'The file is empty.'],
  ['{}', 'It has no headers.'],
  ['"text"', 'It has no headers.'],
  ['{"headers":{},"body":""}', 'It has no headers.'],
  ['{"headers":{"a":"1"}}', 'It has no body.'],
  ['{"headers":{},"body":"!","encoding":"base64"}', "Its body isn't valid base64."],
  ['just some text', 'It is neither JSON nor a request as text.'],
  ['Error: no such file\n\nSee the log.', 'It is neither JSON nor a request as text.'],
  ['X-A: 1\nB: 2', 'It has no empty line between headers and body.'],
  [
    [VISIT, { ...VISIT, body: '1' }, { ...VISIT, body: '2' }],
    'It has 3 requests, none with a signature header.',
  ],
  [[{ json: { headers: { 'content-length': '512' }, body: {} } }], 'It has no body.'],
  [
    [
      {
        json: { headers: { a: '1' }, body: {} },
        binary: { data: { data: 'filesystem-v2', id: 'filesystem-v2:a', mimeType: 'a/b' } },
      },
    ],
    'It has no body.',
  ],
  [
    '203.0.113.9:5: POST https://a.example.com/\n              << 204 No Content 0b',
    'It has no headers. Run mitmdump with',
  ],
  ['203.0.113.9:5: POST https://a.example.com/\n    x-signature: 1\n\n    {\n    (cut off)\n', 'cut off'],
  ['> POST /hook HTTP/2\n> x-signature: 1\n>\n', "curl -v doesn't print the body"],
  ["curl -H 'x-signature: 1' --data-binary @body.json https://a.example.com", 'from another file'],
  ["curl -H 'x-signature: 1' -F a=b https://a.example.com", 'as a form'],
  ['uuid,headers,content\n1,"{""a"":1}","x', "a table that isn't valid"],
  [{ nodes: [], connections: {} }, "n8n's own form"],
  [{ workflowData: {}, data: '[{"resultData":"1"}]' }, "n8n's own form"],
  ['2100:9:websocket;0:~', 'hardump'],
  ['fetch("https://a.example.com", {})', 'Copy as cURL'],
  ['curl ^"https://a.example.com^" ^\n  -H ^"x-signature: 1^"', 'Copy as cURL'],
  ['curl "https://a.example.com" ^\n  -H "x-signature: 1"', 'Copy as cURL'],
  ['<html>', 'HTML or XML'],
  ['a\0b', 'a binary file'],
])('refuses %j', (file, said) => {
  const text = typeof file === 'string' ? file : JSON.stringify(file);
  expect(() => readCapture(Buffer.from(text, 'latin1'))).toThrow(said);
});
