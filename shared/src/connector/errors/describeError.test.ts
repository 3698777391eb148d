import * as service from '../../../../test/support/faultyService/serviceErrors.ts';
import { apiError } from '../../../../test/support/modelService/apiError.ts';
import { PlatformClient } from '../../client/PlatformClient.ts';
import { requestFailed } from '../../client/requestFailed.ts';
import type { TransportRequest } from '../../client/transport.ts';
import { ERROR_CODES, type ErrorCode } from '../../contract/errorCodes.ts';
import { SAMPLE_QR_CODE } from '../../contract/fields.ts';
import { QrServiceError } from '../../errors/QrServiceError.ts';
import { TransportError } from '../../errors/TransportError.ts';
import { invalidParameter } from '../inputs/ParameterError.ts';
import { describeNotPublished } from '../qrCodes/NotPublishedError.ts';
import { describeError } from './describeError.ts';

const { PROXY_PAGE, serviceError } = service;
type ServiceError = service.ServiceError;

const WORDS = { credential: 'settings', rerun: 'run it again', scopes: 'The app lists the scopes of a key.' };

/** What a call throws when the service responds with this error: one about a code, or with `me` one about none. */
function thrownBy({ status, headers = {}, body }: ServiceError, call?: 'me'): Promise<unknown> {
  const transport = () => Promise.resolve({ status, headers, body });
  const options = { baseUrl: 'https://api.example.com', apiKey: 'qrs_key', transport, retry: false } as const;
  const client = new PlatformClient(options);
  const called = call === 'me' ? client.me() : client.qr.publish('qr_1', { idempotencyKey: 'k' });
  return called.catch((error: unknown) => error);
}

const LONG = 'z'.repeat(5000);
/** What the service says beyond the title. */
const SAID = 'As Anna says.';
const FOREIGN = "The response didn't come from the service";
const INSTEAD = 'A proxy, firewall or sign-in page may have responded instead.';
const ASK =
  'Check Base URL in the settings. If it is correct, ask whoever manages the proxy or firewall to allow';
const CHANGED = 'The change may have been made: open the short link to see. ';
const LOADED = "The service can't process requests right now";
const failed = (status: number, code?: string, headers = {}): ServiceError => ({
  status,
  headers,
  body: { message: 'As Anna says', ...(code !== undefined && { code }), requestId: 'req_17' },
});
const lacking = (required: unknown, granted: unknown) =>
  serviceError('insufficient_scope', '', { required, granted });

it.each(Object.keys(ERROR_CODES) as ErrorCode[])(
  'describes %s in its own words and those of the platform',
  async (code) => {
    const { meaning, advice } = ERROR_CODES[code];
    const told = describeError(await thrownBy(serviceError(code), 'me'), WORDS);
    const inWords = advice.replace('{credential}', 'settings').replace('{rerun}', 'run it again');
    const wait = code === 'rate_limited' ? 'Wait 3 hours, then run it again.' : inWords;
    const reference = `${code}, request req_17`;
    expect(told).toEqual({ message: meaning.slice(0, -1), description: `${SAID} ${wait}`, reference });
  },
);

const REJECTED = 'The service rejected the input';
const invalid = (message: string, details: object) => serviceError('validation_failed', message, details);
const soon = (start: string, wait = 'a few minutes') => `${start} Wait ${wait}, then run it again.`.trim();
const FIELDS = { fields: { url: 'is odd', nothing: null }, items: [{ field: 'name' }, 7] };
const MORE = 'qr:read as well, then update the settings. The app lists the scopes of a key.';
const NOT_ITS_NAME = 'It may be deleted or in another workspace. Use its ID or short link, not its name.';
const INVALID_KEY = 'The API key is invalid, revoked or expired';
const keyError = (message: string) => serviceError('invalid_api_key', message);
const FULL = ERROR_CODES.quota_exceeded.meaning.toUpperCase();

/** What a response to a call about a code becomes: its title, and how its description begins. */
it.each<[title: string, start: string, ServiceError]>([
  ['The API key lacks the scope a', 'Details: granted: b; c. Create an', lacking('a', ['b', 'c'])],
  [
    'The API key lacks the scopes a, qr:read',
    `Create an API key in the app with the scopes a, ${MORE}`,
    lacking(['a', 'qr:read'], []),
  ],
  ['The workspace has reached its quota', 'Free up quota or', serviceError('quota_exceeded', FULL)],
  // A key was sent.
  [
    INVALID_KEY,
    'The API key is missing or unknown. Create a',
    keyError('The API key is missing or unknown.'),
  ],
  // The title says as much, or more.
  [INVALID_KEY, 'Create a new API key in', keyError('The API key is invalid.')],
  [INVALID_KEY, 'The API key is revoked. Create', keyError('The API key is revoked.')],
  ['No QR code with ID qr_1 was found', NOT_ITS_NAME, serviceError('not_found', 'Not found')],
  ['No QR code with ID qr_1 was found', `${SAID} ${NOT_ITS_NAME}`, serviceError('not_found')],
  [
    REJECTED,
    'no. Details: fields: url: is odd, items: field: name; 7. Correct the input.',
    invalid('no', FIELDS),
  ],
  [
    REJECTED,
    `x y. Details: a:   b, c: ${'z'.repeat(289)}…. Correct`,
    invalid('x\ny', { a: '\u0000\u2028b', c: LONG }),
  ],
  ['Too many requests were sent in a short time', soon(SAID, 'a minute'), failed(429, 'rate_limited')],
  [
    'The service refused the request',
    `${SAID} Correct the cause, then run it again.`,
    failed(409, 'moon_phase'),
  ],
  [LOADED, CHANGED + soon(''), { status: 500, body: { code: 'internal' } }],
  [LOADED, CHANGED + soon(SAID, '90 seconds'), failed(503, 'maintenance', { 'Retry-After': '90' })],
  [FOREIGN, CHANGED + soon(INSTEAD), PROXY_PAGE],
  [FOREIGN, soon(INSTEAD, '60 seconds'), { ...PROXY_PAGE, status: 429, headers: { 'Retry-After': '60' } }],
  [FOREIGN, `${INSTEAD} ${ASK}`, { status: 403, body: '<html>' }],
  [FOREIGN, `${INSTEAD} ${SAID} ${ASK}`, failed(401)],
])('says %j and %j', async (message, start, response) => {
  const told = describeError(await thrownBy(response), WORDS);
  expect({ ...told, description: told.description.slice(0, start.length) }).toMatchObject({
    message,
    description: start,
  });
});

it("prefers a platform's own advice for a code", async () => {
  const advice = new Map([['quota_exceeded', 'Ask Anna, then {rerun}.']]);
  const error = await thrownBy(serviceError('quota_exceeded', ''));
  expect(describeError(error, { ...WORDS, advice }).description).toBe('Ask Anna, then run it again.');
});

const failure = (code: string, more: object = {}) =>
  Object.assign(new QrServiceError('It is odd.', { code, detail: 'Got text.' }), more);
const CHECK = 'Check Base URL in the settings';
const UNCONFIRMED = 'A QR code named "Door" may have been created. It isn\'t published.';

it.each<[unknown, title: string, description: string]>([
  ['down', 'Something went wrong', 'Ask Anna.'],
  [new Error('Down.'), 'Down', 'Ask Anna.'],
  [new Error('x'.repeat(500)), `${'x'.repeat(149)}…`, 'Ask Anna.'],
  [new QrServiceError('Two\nlines.', { code: 'x' }), 'Two lines', 'Ask Anna.'],
  [invalidParameter(7, { label: 'Name' }, 'text'), 'Name must be text, but got 7', 'Correct the value.'],
  [failure('invalid_input'), 'It is odd', 'Got text.'],
  [failure('x', { unconfirmedCode: 'Door' }), 'It is odd', `${UNCONFIRMED} Got text. Ask Anna.`],
])('describes %p', (error, message, description) => {
  const told = { message, description, reference: '' };
  expect(describeError(error, { ...WORDS, otherwise: 'Ask Anna.' })).toEqual(told);
});

it.each([
  ['x', 'Ask Anna.'],
  ['unreadable_response', `${CHECK}. If it is correct, contact support.`],
  ['target_not_allowed', 'Correct the address, or have it added to Allowed Destinations in the settings.'],
  ['timeout', soon('')],
  ['deadline', soon('')],
  ['certificate', `${CHECK}. If it is correct, ask whoever manages your network or the server: its cert`],
  ['redirect', `${CHECK}: it must be the final URL of the API. If it is correct, a sign-in page`],
  ['aborted', 'To continue, run it again.'],
])('advises what to do about %s', (code, advice) => {
  const { description } = describeError(failure(code), { ...WORDS, otherwise: 'Ask Anna.' });
  expect(description.slice(0, 10 + advice.length)).toBe(`Got text. ${advice}`);
});

const MADE = 'A QR code named "Door" may have been created. It isn\'t published. ';
const SUBSCRIBE = { url: 'https://a.example', eventTypes: ['qr.created'] };
const WRITES: Record<string, (client: PlatformClient) => Promise<unknown>> = {
  creation: ({ qr }) => qr.create({ name: 'Door', targetUrl: 'https://a.example' }),
  change: ({ qr }) => qr.retarget('qr_1', 'https://a.example'),
  publication: ({ qr }) => qr.publish('qr_1'),
  subscription: ({ webhooks }) => webhooks.subscribe(SUBSCRIBE),
  read: ({ qr }) => qr.get('qr_1'),
};
const UNREACHED = `${CHECK} and that the service is up, then run it again.`;
const LOST = soon('');
const LATER = `${LOST} If it keeps failing, check Base URL in the settings.`;
const REFUSED = serviceError('validation_failed', '');
/** What a call says after it failed: with a code of Node.js, with the page of a proxy, or with an error of the service. */
it.each<[call: string, failure: string | ServiceError, description: string]>([
  ['creation', 'ECONNRESET', `${MADE}${LOST}`],
  ['change', 'ECONNRESET', `${CHANGED}${LOST}`],
  ['publication', 'ECONNRESET', `${CHANGED}${LOST}`],
  ['subscription', 'ECONNRESET', LOST],
  ['read', 'ECONNRESET', LATER],
  ['change', 'ETIMEDOUT', `${CHANGED}${LOST}`],
  ['change', failed(500, 'internal'), `${CHANGED}${SAID} ${LOST}`],
  ['change', PROXY_PAGE, `${CHANGED}${INSTEAD} ${LOST}`],
  ['publication', { status: 200, body: '{"id":' }, `${CHANGED}${LOST}`],
  ['change', REFUSED, 'Correct the input.'],
  ...Object.keys(WRITES).map((call): [string, string, string] => [call, 'ECONNREFUSED', UNREACHED]),
])(
  'a %s that fails with %j says what may have been done, and what to do first',
  async (call, cause, expected) => {
    const transport = (request: TransportRequest) => {
      if (typeof cause === 'string') throw requestFailed(request, { timedOut: false, code: cause });
      return Promise.resolve({ headers: {}, ...cause });
    };
    const client = new PlatformClient({
      baseUrl: 'https://a.example',
      apiKey: 'qrs_key',
      transport,
      retry: false,
    });
    const error = await WRITES[call]!(client).catch((thrown: unknown) => thrown);
    expect(describeError(error, WORDS).description).toBe(expected);
  },
);

it("says to check Base URL first if another server's page came with a success", async () => {
  const error = await thrownBy({ status: 200, body: '<p>' }, 'me');
  expect(describeError(error, WORDS).description).toMatch(/\(status 200, no content type\)\. Check Base URL/);
});

const DETAILS = ['x'.repeat(5000), '\u{e0001}\u{e0001} was hidden', 'a\u0000b'];
it("has neither advice nor reference for a program's own errors", () =>
  expect(describeError(new Error('Down.'))).toEqual({ message: 'Down', description: '', reference: '' }));

it.each(DETAILS)('separates the title from any text that follows it: %j', (detail) => {
  const { message, description } = describeError(new TransportError('No.', { code: 'network', detail }));
  expect(message).toBe('No');
  expect(description).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]{0,1200}$/u);
});

it('says what to do if a code that is not visible was deleted, with and without a Deduplication Key', () => {
  const error = failure('not_visible');
  const usual = 'Got text. If you have deleted this code, use a different name and leave the code empty.';
  expect(describeError(error, WORDS).description).toBe(usual);
  const keyed = 'Got text. If you have deleted this code, use another Deduplication Key.';
  expect(describeError(error, { ...WORDS, hasDeduplicationKey: true }).description).toBe(keyed);
});

it.each<[string, ServiceError | QrServiceError, boolean]>([
  ['a refusal that may be replayed', serviceError('quota_exceeded'), true],
  ['a refusal of a request without a key', apiError(403, 'quota_exceeded'), false],
  ['a key that is refused first', serviceError('invalid_api_key'), false],
  ['a lost response', new TransportError('No.', { code: 'network' }), false],
])('says to use another Deduplication Key after %s: %#', async (_what, cause, isReplay) => {
  const advice = 'If you have fixed the cause and it still fails, use another Deduplication Key.';
  const error = cause instanceof QrServiceError ? cause : await thrownBy(cause);
  const usual = describeError(error, WORDS).description;
  const { description } = describeError(error, { ...WORDS, hasDeduplicationKey: true });
  expect(description).toBe(isReplay ? `${usual} ${advice}`.trim() : usual);
});

describe('a code that was created but not published', () => {
  const qrCode = { ...SAMPLE_QR_CODE, id: 'qr_1', name: 'Door', publicUrl: 'https://r.example/door' };
  const words = { ...WORDS, publish: 'publish it', again: "Don't create it again." };
  const PUBLISH_SOON = 'Wait a few minutes, then publish it.';

  it.each<[what: string, says: string, ServiceError]>([
    ['needs approval', 'Get it approved in the app, then publish it.', serviceError('approval_required', '')],
    [
      'needs another key',
      'Create a new API key in the app, then update the settings. To finish, publish it.',
      serviceError('invalid_api_key', ''),
    ],
    ['met a proxy', `${INSTEAD} ${PUBLISH_SOON}`, PROXY_PAGE],
    [
      'may be published',
      `${INSTEAD} Wait 60 seconds, then publish it.`,
      { ...PROXY_PAGE, headers: { 'Retry-After': '60' } },
    ],
    ['is not found', `It may not be visible yet, or was deleted. ${PUBLISH_SOON}`, serviceError('not_found')],
  ])('is named with how to publish it and what not to rerun if it %s', async (_what, says, response) => {
    const cause = await thrownBy(response);
    const { message, reference } = describeError(cause, WORDS);
    const exists = 'The code exists as a draft: "Door" (ID qr_1, https://r.example/door).';
    expect(describeNotPublished({ qrCode, cause }, words)).toEqual({
      message: `The QR code qr_1 was created but not published: ${message}`,
      description: `${exists} ${says} Don't create it again.`,
      reference,
    });
  });

  it.each<[cause: string, ServiceError | QrServiceError, isFound: boolean]>([
    ['not found', serviceError('not_found'), false],
    ['gone', apiError(410, 'gone'), false],
    ['not approved', serviceError('approval_required', ''), true],
    ['behind a page that says 404', { status: 404, body: '<html>' }, true],
    ['behind a 404 without a code', failed(404), true],
    ['out of reach', new TransportError('No.', { code: 'network' }), true],
  ])('and has a Deduplication Key: may have been deleted only if it is %s', async (_what, given, isFound) => {
    const cause = given instanceof QrServiceError ? given : await thrownBy(given);
    const usual = describeNotPublished({ qrCode, cause }, words);
    expect(describeNotPublished({ qrCode, cause }, { ...words, hasDeduplicationKey: true })).toEqual(
      isFound
        ? usual
        : {
            message: "The QR code of this Deduplication Key was deleted, or isn't visible yet",
            description:
              'If you deleted "Door" (ID qr_1, https://r.example/door), use another Deduplication Key: nothing was created. Otherwise, wait a few minutes, then publish it.',
            reference: usual.reference,
          },
    );
  });

  it.each(['x'.repeat(500), '\u0000'])('is named on one short line: %j', (id) => {
    const failure = { qrCode: { ...qrCode, id }, cause: new Error('Down') };
    const { message, description } = describeNotPublished(failure, words);
    expect(description).toMatch(
      /^The code exists as a draft: \P{C}+\. To finish, publish it\. Don't create it again\.$/u,
    );
    expect(message).toMatch(/^The QR code \P{C}{1,81} was created but not published: Down$/u);
  });
});
