import assert from 'node:assert';
import type { TransportError } from '../errors/TransportError.ts';
import { PlatformClient } from './PlatformClient.ts';
import { requestFailed } from './requestFailed.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** As short as a key can be to be hidden. */
const KEY = 'qrs_key8';

/** What a request gets: a response, a Node.js code of a failure, or what a transport throws. */
type Reply = Partial<TransportResponse> | string | Error;

/** A client whose requests get these replies, one after the other. */
function replying(...replies: Reply[]) {
  const requests: TransportRequest[] = [];
  const transport = (request: TransportRequest) => {
    const reply = replies[requests.push(request) - 1];
    if (typeof reply === 'string') throw requestFailed(request, { timedOut: false, code: reply });
    return reply instanceof Error
      ? Promise.reject(reply)
      : Promise.resolve({ status: 200, headers: {}, body: '', ...reply });
  };
  const sleep = () => Promise.resolve();
  const options = { baseUrl: 'https://qr.example', apiKey: KEY, transport, userAgent: 'Test/1' };
  return {
    client: new PlatformClient(options),
    retrying: new PlatformClient({ ...options, sleep, retry: { maxAttempts: 3 } }),
    requests,
  };
}
const caught = (call: Promise<unknown>) => call.catch((error: unknown) => error);
const first = (list: AsyncIterable<unknown>) => list[Symbol.asyncIterator]().next();

const INPUT = { url: 'https://a.example', eventTypes: ['qr.created'] };
const content = { targetUrl: 'https://a.example' };
const CODE = { name: 'Door', mode: 'dynamic', contentType: 'url', content };

const LEADS = 'redirect: The request was redirected';
const NOT_SENT = "Redirects aren't followed, so the API key wasn't sent there.";
const CUT_OFF = "network: The response was cut off or isn't valid JSON.";
const FOREIGN =
  "network: The response didn't come from the service. A proxy, firewall or sign-in page may have responded instead";
const redirect = (Location?: string, status = 302) => ({ status, headers: { Location } });
it.each<[reply: Reply, message: string]>([
  [redirect('https://login.example/a?b'), `${LEADS} to login.example. ${NOT_SENT}`],
  [redirect('/a', 300), `${LEADS} to qr.example. ${NOT_SENT}`],
  [redirect(), `${LEADS}. ${NOT_SENT}`],
  [redirect('https://', 199), `${LEADS}. ${NOT_SENT}`],
  [redirect('mailto:a@qr.example'), `${LEADS}. ${NOT_SENT}`],
  [redirect(`https://${'a'.repeat(300)}.example`), `${LEADS} to ${'a'.repeat(100)}…. ${NOT_SENT}`],
  [{ body: '{"id":' }, CUT_OFF],
  [{ body: ' [1' }, CUT_OFF],
  [{ body: '<p>{' }, `${FOREIGN} (status 200, no content type).`],
  [new Error(`no ${KEY}`), 'network: The service could not be reached. no [API key].'],
])('says what happened without the key for %j', async (reply, expected) => {
  const { code, message } = (await caught(replying(reply).client.me())) as TransportError;
  expect(`${code}: ${message}`).toBe(expected);
});

it.each([String, JSON.parse])('shows no API key that an error repeats, read by %p', async (read) => {
  const error = { code: 'c', message: `not ${KEY}`, details: { [KEY]: [KEY] }, requestId: KEY };
  const body = read(JSON.stringify(error)) as unknown;
  const message = expect.stringContaining('[API key]') as string;
  const shown = { message, details: { '[API key]': ['[API key]'] }, requestId: '[API key]' };
  await expect(replying({ status: 422, body }).client.me()).rejects.toMatchObject(shown);
});

it.each(['', ' \n', undefined, null, new Uint8Array()])('reads the empty body %j', async (body) => {
  expect(await replying({ body }).client.webhooks.unsubscribe('sub_1')).toBe('removed');
});

it.each([
  ['The QR code ID is empty.', ['', ' ', undefined as unknown as string]],
  ['Invalid QR code ID.', ['.', '..', '%2e%2e', '%2E.', '\ud800']],
])('sends no request for an ID: "%s"', async (sentence, ids) => {
  const { client, requests } = replying();
  const message = `${sentence} Use the ID that the service returned.`;
  const ofSubscription = message.replace('QR code', 'subscription');
  for (const id of ids) {
    await expect(client.qr.get(id)).rejects.toMatchObject({ code: 'invalid_input', message });
    await expect(client.webhooks.unsubscribe(id)).rejects.toMatchObject({ message: ofSubscription });
  }
  expect(requests).toEqual([]);
});

it('sends exactly what a call needs', async () => {
  const { client, requests } = replying();
  const { qr, scans, webhooks } = client;
  const { signal } = new AbortController();
  const ofList = expect.any(AbortSignal) as unknown;
  const headers = { Authorization: `Bearer ${KEY}`, 'User-Agent': 'Test/1', Accept: 'application/json' };
  const usual = { headers, responseType: 'json', timeoutMs: 30_000 };
  const get = { ...usual, method: 'GET' };
  const keyed = { ...headers, 'Idempotency-Key': 'k' };
  const post = { ...usual, method: 'POST', headers: { ...keyed, 'Content-Type': 'application/json' } };
  const image = { ...get, headers: { ...headers, Accept: '*/*' }, responseType: 'bytes' };
  const url = 'https://qr.example/v1/public-api';
  const options = { idempotencyKey: 'k' };
  await webhooks.unsubscribe('a/b');
  await caught(webhooks.subscribe(INPUT, options));
  // Of the API's own form, only its fields.
  await caught(qr.create({ ...CODE, targetUrl: 'https://b.example' } as never, options));
  await caught(qr.publish('qr_1', options));
  await caught(qr.retarget('qr_1', 'u', options));
  await caught(qr.render('qr_1', { size: 9 }));
  await expect(first(qr.list({ updatedSince: 's', cursor: 'c' }))).rejects.toMatchObject({ cursor: 'c' });
  await expect(first(scans.list({ limit: 5, cursor: 'c' }))).rejects.toMatchObject({ cursor: 'c' });
  await caught(scans.listPage({ since: 's', cursor: '' }, { signal }));
  await caught(client.me());
  expect(requests).toStrictEqual([
    { ...usual, method: 'DELETE', url: `${url}/webhooks/a%2Fb` },
    { ...post, url: `${url}/webhooks`, body: JSON.stringify(INPUT) },
    { ...post, url: `${url}/qr`, body: JSON.stringify(CODE) },
    { ...post, headers: keyed, url: `${url}/qr/qr_1/publish` },
    { ...get, url: `${url}/qr/qr_1` },
    { ...post, url: `${url}/qr/qr_1/destination`, body: '{"url":"u"}' },
    { ...get, url: `${url}/qr/qr_1` },
    { ...image, url: `${url}/qr/qr_1/image?size=9` },
    { ...get, url: `${url}/qr?updatedSince=s&cursor=c&limit=100`, signal: ofList },
    { ...get, url: `${url}/scans?limit=5&cursor=c`, signal: ofList },
    { ...get, url: `${url}/scans?since=s`, signal },
    { ...get, url: `${url}/me` },
  ]);
});

it.each(['qr', 'scans'] as const)('reads a list of %s until its feed ends', async (records) => {
  const headers = { Date: 'Thu, 01 Jan 2026 00:00:01 GMT' };
  const page = (data: object[]) => ({ headers, body: { data, pagination: { nextCursor: 'c' } } });
  const { client } = replying(page([{ id: 'a' }]), page([]));
  const all: unknown[] = [];
  for await (const each of client[records].list().pages()) all.push(each);
  const first = { rows: [{ id: 'a' }], nextCursor: 'c', servedAt: Date.parse(headers.Date) };
  expect(all).toMatchObject([first, { rows: [], resumeCursor: 'c' }]);
});

it('names what it got instead of a code', async () => {
  const call = replying({ body: { qr: { name: 'Door' } } }).client.qr.get('qr_1');
  await expect(call).rejects.toThrow('expected a QR code. Got the keys qr.');
});

const NO_CODE = { status: 404, body: { code: 'not_found' } };
const code = (change: object) => ({ body: { id: 'qr_1', slug: 'a', ...change } });
it.each<[replies: Reply[], published: object]>([
  [[code({ status: 'draft' })], { id: 'qr_1', slug: 'a', status: 'draft' }],
  [[{}, code({ status: 'draft' })], { id: 'qr_1', slug: 'a' }],
  [[{}, code({ status: 'published' })], { id: 'qr_1', slug: 'a', status: 'published' }],
  [[{}, code({ status: 'archived' })], { id: 'qr_1', slug: 'a', status: 'archived' }],
  [[{ body: { ok: true, status: 'draft' } }, NO_CODE], { id: 'qr_1', ok: true }],
  [[{ body: { id: 'job_1', ok: true } }, NO_CODE], { id: 'qr_1' }],
  [[{ body: [1] }, NO_CODE], { id: 'qr_1' }],
  [[{}, 'ECONNRESET'], { id: 'qr_1' }],
])('reads a published code from %j', async (replies, published) => {
  const { client, requests } = replying(...replies);
  expect(await client.qr.publish('qr_1')).toEqual(published);
  expect(requests).toHaveLength(replies.length);
});

it.each([
  ['Thu, 01 Jan 2026 00:00:01 GMT', 0],
  ['Thu, 01 Jan 2026 00:00:02 GMT', 1],
  [undefined, 1],
])('takes a code changed at midnight for a replay in a response of %p: %d', async (date, times) => {
  const body = { id: 'qr_1', slug: 'a', updatedAt: '2026-01-01T00:00:00.000Z' };
  const response = { headers: { Date: date }, body };
  const { qr } = replying(response, response).client;
  const onReplay = jest.fn();
  await qr.create(CODE, { onReplay });
  await qr.create(CODE);
  expect(onReplay).toHaveBeenCalledTimes(times);
});

const UNREADABLE = 'unreadable_response';
const MADE = { id: 'sub_1', secret: 's' };
const NO_SUBSCRIPTION = expect.stringContaining('expected a webhook subscription.') as string;
const OTHER = { url: 'u', eventTypes: ['e'] };
it.each<[body: unknown, expected: object]>([
  [MADE, { ...MADE, ...INPUT }],
  [{ ...MADE, ...OTHER }, OTHER],
  [{ secret: 's' }, { code: UNREADABLE, message: NO_SUBSCRIPTION, isUnconfirmed: true }],
])('reads a subscription from %j', async (body, expected) => {
  expect(await caught(replying({ body }).client.webhooks.subscribe(INPUT))).toMatchObject(expected);
});

it.each([
  { id: 'sub_1' },
  { id: 'sub_1', secret: 's-e-c', signingSecret: 's-e-d' },
  { secret: 's-e-c', subscription: { id: 'sub_1', secret: 's-e-d' } },
])('removes a subscription again if it has no one secret, and shows none: %j', async (body) => {
  const { client, requests } = replying({ body }, {});
  const error = await caught(client.webhooks.subscribe(INPUT));
  expect(error).toMatchObject({ code: UNREADABLE, isUnconfirmed: undefined });
  expect((error as Error).message).toMatch(/expected one signing secret\. .* removed again/);
  expect((error as Error).message).not.toMatch(/s-e-[cd]/);
  expect(requests.map(({ method, url }) => method + new URL(url).pathname)).toEqual([
    'POST/v1/public-api/webhooks',
    'DELETE/v1/public-api/webhooks/sub_1',
  ]);
});

it.each<[status: number, code: string, result: object | string]>([
  [404, 'not_found', 'already-gone'],
  [405, 'no_such_method', 'unsupported'],
  [501, 'not_implemented', 'unsupported'],
  [403, 'insufficient_scope', { code: 'insufficient_scope' }],
  [404, '', { code: 'http_404' }],
  [405, '', { code: 'http_405' }],
])('understands a %i %s for the end of a subscription', async (status, code, result) => {
  const failed = { status, body: code === '' ? '<p>' : { code } };
  const message = expect.stringContaining('Remove the subscription sub_1 in the app.') as string;
  expect([await caught(replying(failed).client.webhooks.unsubscribe('sub_1'))]).toMatchObject([result]);
  const subscribed = replying({ body: { id: 'sub_1' } }, failed).client.webhooks.subscribe(INPUT);
  await expect(subscribed).rejects.toMatchObject({ message, isUnconfirmed: true });
});

it.each<[limits: number[], status: number, code: string, query: object]>([
  [[100, 50, 50], 422, 'validation_failed', {}],
  [[7, 7], 422, 'validation_failed', { limit: 7 }],
  [[100, 100], 422, 'invalid_cursor', {}],
])('requests %p rows if a %i %s refuses them', async (limits, status, code, query) => {
  const refusal = { status, body: { code } };
  const { client, requests } = replying(refusal, { body: { data: [], pagination: {} } }, refusal);
  for (let page = 1; page <= 2; page++) await caught(client.qr.listPage(query));
  expect(requests.map(({ url }) => Number(new URL(url).searchParams.get('limit')))).toEqual(limits);
});

it.each<[id: string, format: 'png' | 'svg' | undefined, expected: object]>([
  ['a.b.', 'svg', { fileName: 'a.b.svg' }],
  ['..a/b', undefined, { fileName: 'a-b.svg', contentType: 'image/svg+xml', format: 'svg' }],
  ['a.b', 'png', { code: UNREADABLE, message: 'Expected png, but got svg (41 bytes).' }],
])('reads the image of %s as %s', async (id, format, expected) => {
  const body = '<svg xmlns="http://www.w3.org/2000/svg"/>';
  const { client } = replying({ headers: { 'Content-Type': 'image/svg+xml' }, body });
  expect(await caught(client.qr.render(id, format && { format }))).toMatchObject(expected);
});

it.each([
  ['text/html', 'text/html'],
  [`Bearer ${KEY}`, 'no content type'],
])('reads no image from the Content-Type %s, and shows no key', async (type, shown) => {
  const { qr } = replying({ headers: { 'Content-Type': type }, body: 'no' }).client;
  await expect(qr.render('a')).rejects.toThrow(`but got ${shown} (2 bytes)`);
});

it('returns an image as bytes in a buffer of their own', async () => {
  const received = Uint8Array.of(0, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a).subarray(1);
  const own = new Uint8Array(received);
  const headers = { 'Content-Type': 'image/png' };
  const { qr } = replying({ headers, body: received }, { headers, body: own }).client;
  const { body } = await qr.render('a');
  expect([body, body.buffer.byteLength]).toEqual([own, 8]);
  expect((await qr.render('a')).body).toBe(own);
});

const NOT_DONE = [false, undefined, undefined];
const MAYBE_DONE = [false, true, 'Door'];
const RUNNING = { status: 409, body: { code: 'idempotency_in_progress' } };
/** A response whose details are nested so deep that reading them overflows the stack. */
const deep = (status: number) => ({
  status,
  body: `{"code":"validation_failed","details":{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`,
});
/** Headers that throw when they are read. */
const BROKEN = new Proxy({}, { ownKeys: () => assert.fail() });
const INVALID = { status: 422, body: { code: 'validation_failed' } };
it.each<[string, unknown[], Reply[]]>([
  ['no attempt made a connection', [true, undefined, undefined], ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']],
  ['an earlier attempt was cut off', MAYBE_DONE, ['ECONNRESET', 'ECONNREFUSED', 'ECONNREFUSED']],
  ['an earlier attempt timed out', MAYBE_DONE, ['ECONNREFUSED', 'ETIMEDOUT', 'ECONNREFUSED']],
  ['each attempt failed with a 500', MAYBE_DONE, Array<object>(3).fill({ status: 500 })],
  ['each attempt failed with a 408', MAYBE_DONE, Array<object>(3).fill({ status: 408 })],
  ['the first one still ran', MAYBE_DONE, [RUNNING, INVALID]],
  ['the response is cut off', MAYBE_DONE, Array<object>(3).fill({ body: '{"id":' })],
  ['the response is no code', MAYBE_DONE, [{ body: '{"ok":true}' }]],
  ['the request was refused', NOT_DONE, [INVALID]],
  ['a refusal cannot be read', NOT_DONE, [deep(422)]],
  ['a server error cannot be read', MAYBE_DONE, [deep(500)]],
  ['a refusal cannot be read after a lost response', MAYBE_DONE, ['ECONNRESET', deep(422)]],
  ['headers cannot be read', MAYBE_DONE, [{ headers: BROKEN }]],
  ['the request was redirected', NOT_DONE, [{ status: 302 }]],
])('the error of a creation says what may have been done if %s', async (_what, expected, responses) => {
  const { retrying, requests } = replying(...responses);
  const error = (await caught(retrying.qr.create(CODE))) as Partial<TransportError>;
  expect(requests).toHaveLength(responses.length);
  expect([error.unsent ?? false, error.isUnconfirmed, error.unconfirmedCode]).toEqual(expected);
});

it.each<[reply: Reply, status: number]>([
  [deep(422), 422],
  [deep(404), 404],
  [{ headers: BROKEN }, 200],
])(
  'a response that cannot be read fails its own call, and no other waits for it: %#',
  async (reply, status) => {
    const { retrying, requests } = replying(reply, code({}));
    const calls = [retrying.qr.get('qr_1'), retrying.qr.get('qr_1')].map(caught);
    const message = `The response with the status ${status} could not be read.`;
    expect(await Promise.all(calls)).toMatchObject([{ code: UNREADABLE, message }, { id: 'qr_1' }]);
    expect(requests).toHaveLength(2);
  },
);
