import * as service from '../../../test/support/faultyService/serviceErrors.ts';
import { apiError } from '../../../test/support/lateService.ts';
import { QrServiceClient } from '../client/QrServiceClient.ts';
import { ERROR_CODES, type ErrorCode } from '../contract/errorCodes.ts';
import { SAMPLE_QR_CODE } from '../contract/fields.ts';
import { QrServiceError, TransportError } from '../errors/QrServiceError.ts';
import { describeError, describeNotPublished } from './describeError.ts';
import { invalidParameter } from './parameters/ParameterError.ts';

const { PROXY_PAGE, serviceError } = service;
type ServiceError = service.ServiceError;

const WORDS = { credential: 'settings', rerun: 'run it again', scopes: 'The app lists the scopes of a key.' };

/** What a call throws when the service responds with this error: one about a code, or with `me` one about none. */
function thrownBy({ status, headers = {}, body }: ServiceError, call?: 'me'): Promise<unknown> {
  const transport = () => Promise.resolve({ status, headers, body });
  const options = { baseUrl: 'https://api.example.com', apiKey: 'qrs_key', transport, retry: false } as const;
  const client = new QrServiceClient(options);
  const called = call === 'me' ? client.me() : client.qr.publish('qr_1', { idempotencyKey: 'k' });
  return called.catch((error: unknown) => error);
}

/** What the service says beyond the title. */
const SAID = 'As Anna says.';
const FOREIGN = "The response didn't come from the service";
const INSTEAD = 'A proxy, firewall or sign-in page may have responded instead.';
const ASK =
  'Check Base URL in the settings. If it is correct, ask whoever manages the proxy or firewall to allow requests to the service.';
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
const MORE_SCOPES = 'as well, then update the settings. The app lists the scopes of a key.';
const soon = (start: string, wait = 'a few minutes') => `${start} Wait ${wait}, then run it again.`.trim();
const FIELDS = {
  fields: { url: 'must be https', nothing: null },
  items: [{ field: 'name', message: 'is taken' }, 7],
};

/** What a response to a call about a code becomes: its title and description. */
it.each<[title: string, description: string, ServiceError]>([
  [
    'The API key lacks the scope qr:write',
    `Details: required: qr:write, granted: other; qr:read. Create an API key in the app with the scope qr:write ${MORE_SCOPES}`,
    lacking('qr:write', ['other', 'qr:read']),
  ],
  [
    'The API key lacks the scopes qr:write, qr:read',
    `Details: required: qr:write; qr:read. Create an API key in the app with the scopes qr:write, qr:read ${MORE_SCOPES}`,
    lacking(['qr:write', 'qr:read'], []),
  ],
  [
    'The workspace has reached its quota',
    'Free up quota or increase it in the app, then run it again.',
    serviceError('quota_exceeded', ERROR_CODES.quota_exceeded.meaning.toUpperCase()),
  ],
  [
    'No QR code with ID qr_1 was found',
    `${SAID} Use the ID or the short link of a QR code, not its name, and an API key of its workspace.`,
    serviceError('not_found'),
  ],
  [
    REJECTED,
    'url is odd. Details: fields: url: must be https, items: field: name, message: is taken; 7. Correct the input.',
    serviceError('validation_failed', 'url is odd', FIELDS),
  ],
  [
    REJECTED,
    `x y. Details: a:   b, c: ${'z'.repeat(289)}…. Correct the input.`,
    serviceError('validation_failed', 'x\ny', { a: '\u0000\u2028b', c: 'z'.repeat(5000) }),
  ],
  ['Too many requests were sent in a short time', soon(SAID, 'a minute'), failed(429, 'rate_limited')],
  [
    'The service refused the request',
    `${SAID} Correct the cause, then run it again. If it keeps failing, contact support.`,
    failed(409, 'moon_phase'),
  ],
  [LOADED, soon(''), { status: 500, body: { code: 'internal' } }],
  [LOADED, soon(SAID, '90 seconds'), failed(503, 'maintenance', { 'Retry-After': '90' })],
  [FOREIGN, soon(INSTEAD), PROXY_PAGE],
  [FOREIGN, soon(INSTEAD, '60 seconds'), { ...PROXY_PAGE, status: 429, headers: { 'Retry-After': '60' } }],
  [FOREIGN, `${INSTEAD} ${ASK}`, { status: 403, body: '<html>' }],
  [FOREIGN, `${INSTEAD} ${SAID} ${ASK}`, failed(401)],
])('says %j and %j', async (message, description, response) =>
  expect(describeError(await thrownBy(response), WORDS)).toMatchObject({ message, description }),
);

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
  ['network', `${CHECK} and that the service is up, then run it again.`],
  [
    'certificate',
    `${CHECK}. If it is correct, ask whoever manages your network or the server: its certificate may have expired, or a proxy may have replaced it.`,
  ],
  [
    'redirect',
    `${CHECK}: it must be the final URL of the API. If it is correct, a sign-in page of your network may be in the way.`,
  ],
  ['aborted', 'To continue, run it again.'],
])('advises what to do about %s', (code, advice) => {
  const { description } = describeError(failure(code), { ...WORDS, otherwise: 'Ask Anna.' });
  expect(description).toBe(`Got text. ${advice}`);
});

const DETAILS = ['x'.repeat(5000), '\u{e0001}\u{e0001} was hidden', 'a\u0000b'];
it("has neither advice nor reference for a program's own errors", () =>
  expect(describeError(new Error('Down.'))).toEqual({ message: 'Down', description: '', reference: '' }));

it.each(DETAILS)('separates the title from any text that follows it: %j', (detail) => {
  const { message, description } = describeError(new TransportError('No.', { kind: 'network', detail }));
  expect(message).toBe('No');
  expect(description).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]{0,1200}$/u);
});

it.each<[string, ServiceError | QrServiceError, boolean]>([
  ['a refusal that may be replayed', serviceError('quota_exceeded'), true],
  ['a code that is gone', new QrServiceError('Gone.', { code: 'not_visible' }), true],
  ['a refusal of a request without a key', apiError(403, 'quota_exceeded'), false],
  ['a key that is refused first', serviceError('invalid_api_key'), false],
  ['a lost response', new TransportError('No.', { kind: 'network' }), false],
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

  it.each<[what: string, response: ServiceError, ...sentences: string[]]>([
    ['needs approval', serviceError('approval_required', ''), 'Get it approved in the app, then publish it.'],
    [
      'needs another key',
      serviceError('invalid_api_key', ''),
      'Create a new API key in the app, then update the settings. To finish, publish it.',
    ],
    ['met a proxy', PROXY_PAGE, INSTEAD, 'Wait a few minutes, then publish it.'],
    [
      'is not found',
      serviceError('not_found'),
      'It may not be visible yet, or was deleted. Wait a few minutes, then publish it.',
    ],
  ])('is named with how to publish it and what not to rerun if it %s', async (_what, response, ...says) => {
    const cause = await thrownBy(response);
    const { message, reference } = describeError(cause, WORDS);
    const exists = 'The code exists as a draft: "Door" (ID qr_1, https://r.example/door).';
    expect(describeNotPublished({ qrCode, cause }, words)).toEqual({
      message: `The QR code qr_1 was created but not published: ${message}`,
      description: [exists, ...says, "Don't create it again."].join(' '),
      reference,
    });
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
