import {
  PROXY_PAGE,
  serviceError,
  type ServiceError,
} from '../../../test/support/faultyService/serviceErrors.ts';
import { QrServiceClient } from '../client/QrServiceClient.ts';
import { ERROR_CODES, type ErrorCode } from '../contract/errorCodes.ts';
import { ApiError } from '../errors/ApiError.ts';
import { QrServiceError, TransportError } from '../errors/QrServiceError.ts';
import { errorText } from '../errors/sentences.ts';
import { CodeFinder } from './CodeFinder.ts';
import { SAMPLE_QR_CODE } from '../contract/fields.ts';
import { describeError } from './describeError.ts';
import { describeNotPublished } from './describeError.ts';
import { missingParameter } from './parameters/ParameterError.ts';

const WORDS = { credential: 'settings', rerun: 'run it again', scopes: 'The app lists the scopes of a key.' };
const KEYED = { ...WORDS, hasDeduplicationKey: true };
const DRAFT = { ...WORDS, publish: 'publish it', again: "Don't create it again." };

/** What a call throws when the service responds with this error. Nothing is retried. */
function thrownBy({ status, headers = {}, body }: ServiceError, call: keyof typeof CALLS): Promise<unknown> {
  const transport = () => Promise.resolve({ status, headers, body });
  const options = { baseUrl: 'https://api.example.com', apiKey: 'qrs_key', transport, retry: false } as const;
  return CALLS[call](new QrServiceClient(options)).then(
    () => undefined,
    (error: unknown) => error,
  );
}

const CALLS = {
  me: (client: QrServiceClient) => client.me(),
  list: ({ qr }: QrServiceClient) => qr.listPage(),
  publish: ({ qr }: QrServiceClient) => qr.publish('qr_1'),
};

/** What the service says beyond the title. */
const SAID = 'As Anna says.';
const FOREIGN = "The response didn't come from the service";
const INSTEAD = 'A proxy, firewall or sign-in page may have responded instead.';
const ASK =
  'Check Base URL in the settings. If it is correct, ask whoever manages the proxy or firewall to allow requests to the service.';
const failed = (status: number, code?: string, more: object = {}): ServiceError => ({
  status,
  body: { message: 'As Anna says', ...(code !== undefined && { code }), requestId: 'req_17', ...more },
});

/** The title and the description of an error response to a call, and the description's end for an unpublished code. */
const RESPONSES: [what: string, response: ServiceError, title: string, description: string][] = [
  [
    'an invalid key',
    serviceError('invalid_api_key'),
    'The API key is missing, revoked or expired',
    `${SAID} Create a new API key in the app, then update the settings.`,
  ],
  [
    'a missing scope',
    serviceError('insufficient_scope', 'Forbidden', { required: 'qr:write', granted: ['other', 'qr:read'] }),
    'The API key lacks the scope qr:write',
    'Forbidden. Details: required: qr:write, granted: other; qr:read. Create an API key in the app with the scope qr:write as well, then update the settings. The app lists the scopes of a key.',
  ],
  [
    'missing scopes of a key without any',
    serviceError('insufficient_scope', '', { required: ['qr:write', 'qr:read'], granted: [] }),
    'The API key lacks the scopes qr:write, qr:read',
    'Details: required: qr:write; qr:read. Create an API key in the app with the scopes qr:write, qr:read as well, then update the settings. The app lists the scopes of a key.',
  ],
  [
    'an IP address',
    serviceError('ip_not_allowed'),
    "The API key's allow-list doesn't include the IP address of this request",
    `${SAID} Add the IP address to the key's allow-list in the app, or use a key without an allow-list.`,
  ],
  [
    'another workspace',
    serviceError('workspace_mismatch'),
    'The API key belongs to another workspace',
    `${SAID} Create an API key in the right workspace, then update the settings.`,
  ],
  [
    'a quota',
    serviceError('quota_exceeded', 'Your plan has 100 codes.'),
    'The workspace has reached its quota',
    'Your plan has 100 codes. Free up quota or increase it in the app, then run it again.',
  ],
  [
    'a message that only repeats the title',
    serviceError('quota_exceeded', ERROR_CODES.quota_exceeded.meaning.toUpperCase()),
    'The workspace has reached its quota',
    'Free up quota or increase it in the app, then run it again.',
  ],
  [
    'an unknown code',
    serviceError('not_found'),
    'No QR code with ID qr_1 was found',
    `${SAID} Use the ID or the short link of a QR code, not its name, and an API key of its workspace.`,
  ],
  [
    'a key of another request',
    serviceError('idempotency_conflict'),
    'The same idempotency key was used before with different input',
    `${SAID} If you set a Deduplication Key, use a new one. If it keeps failing, contact support.`,
  ],
  [
    'a request in progress',
    serviceError('idempotency_in_progress'),
    'The first attempt of this request is still running',
    `${SAID} Wait a moment, then run it again.`,
  ],
  [
    'invalid input',
    serviceError('validation_failed', 'url is odd', {
      fields: { url: 'must be https', nothing: null },
      items: [{ field: 'name', message: 'is taken' }, 7],
    }),
    'The service rejected the input',
    'url is odd. Details: fields: url: must be https, items: field: name, message: is taken; 7. Correct the input.',
  ],
  [
    'long details in several lines',
    serviceError('validation_failed', 'x\ny', { a: '\u0000\u2028b', c: 'z'.repeat(5000) }),
    'The service rejected the input',
    `x y. Details: a:   b, c: ${'z'.repeat(289)}…. Correct the input.`,
  ],
  [
    'an old cursor',
    serviceError('invalid_cursor'),
    'The pagination cursor is no longer valid',
    `${SAID} Load the list from the beginning.`,
  ],
  [
    'a missing approval',
    serviceError('approval_required'),
    'An approval is required first',
    `${SAID} Get it approved in the app, then run it again.`,
  ],
  [
    'little contrast',
    serviceError('contrast_check_failed'),
    "The QR code didn't pass the contrast check",
    `${SAID} Change the code's design in the app, then run it again.`,
  ],
  [
    'a rate limit',
    serviceError('rate_limited'),
    'Too many requests were sent in a short time',
    `${SAID} Wait 3 hours, then run it again.`,
  ],
  [
    'a rate limit without a wait',
    failed(429, 'rate_limited'),
    'Too many requests were sent in a short time',
    `${SAID} Wait a minute, then run it again.`,
  ],
  [
    'a code of its own',
    failed(409, 'moon_phase'),
    'The service refused the request',
    `${SAID} Correct the cause, then run it again. If it keeps failing, contact support.`,
  ],
  [
    'a code without a message',
    { status: 500, body: { code: 'internal', requestId: 'req_17' } },
    "The service can't process requests right now",
    'Wait a few minutes, then run it again.',
  ],
  [
    'a pause',
    { ...failed(503, 'maintenance'), headers: { 'Retry-After': '90' } },
    "The service can't process requests right now",
    `${SAID} Wait 90 seconds, then run it again.`,
  ],
  ["a proxy's page", PROXY_PAGE, FOREIGN, `${INSTEAD} Wait a few minutes, then run it again.`],
  [
    "a proxy's page with a wait",
    { ...PROXY_PAGE, status: 429, headers: { 'Retry-After': '60' } },
    FOREIGN,
    `${INSTEAD} Wait 60 seconds, then run it again.`,
  ],
  ["a firewall's page", { status: 403, body: '<html>' }, FOREIGN, `${INSTEAD} ${ASK}`],
  ["a gateway's JSON", failed(401), FOREIGN, `${INSTEAD} ${SAID} ${ASK}`],
];

describe('describeError', () => {
  it.each(RESPONSES)('describes %s', async (_what, response, title, description) => {
    const error = await thrownBy(response, 'publish');
    const told = describeError(error, WORDS);
    expect(told).toMatchObject({ message: title, description });
    if (JSON.stringify(response.body).includes('req_17')) expect(told.reference).toMatch(/, request req_17$/);
    if (response.status === 403) expect(errorText(told)).not.toMatch(/reconnect/i);
  });

  it('has a case for every documented code', () => {
    const codes = RESPONSES.map(([, { body }]) => (body as { code?: string }).code);
    expect(codes).toEqual(expect.arrayContaining(Object.keys(ERROR_CODES)));
  });

  it('needs no details of a missing scope', async () =>
    expect(describeError(await thrownBy(serviceError('insufficient_scope', ''), 'me'), WORDS)).toMatchObject({
      message: 'The API key lacks a scope',
      description: 'Create an API key in the app with the missing scope as well, then update the settings.',
    }));

  it('names no ID where none was sent', async () =>
    expect(describeError(await thrownBy(serviceError('not_found'), 'list'), WORDS)).toMatchObject({
      message: 'Not found',
      description: `${SAID} Check Base URL and the ID, and that the API key belongs to the same workspace.`,
    }));

  it("prefers a platform's own advice for a code", async () => {
    const advice = new Map([['quota_exceeded', 'Ask Anna, then {rerun}.']]);
    const error = await thrownBy(serviceError('quota_exceeded', ''), 'publish');
    expect(describeError(error, { ...WORDS, advice }).description).toBe('Ask Anna, then run it again.');
  });

  const failure = (code: string, more: object = {}) =>
    Object.assign(new QrServiceError('It is odd.', { code, detail: 'Got text.' }), more);
  const transport = (kind: TransportError['kind']) => new TransportError('It is odd.', { kind });
  const CHECK = 'Check Base URL in the settings';

  it.each<[unknown, title: string, description: string]>([
    ['down', 'Something went wrong', 'Ask Anna.'],
    [new Error('Down.'), 'Down', 'Ask Anna.'],
    [failure('x'), 'It is odd', 'Got text. Ask Anna.'],
    [failure('invalid_input'), 'It is odd', 'Got text.'],
    [missingParameter({ label: 'Name' }), 'Name is empty', 'Enter a value.'],
    [
      failure('x', { unconfirmedCode: 'Door' }),
      'It is odd',
      'A QR code named "Door" may have been created. It isn\'t published. Got text. Ask Anna.',
    ],
    [failure('unreadable_response'), 'It is odd', `Got text. ${CHECK}. If it is correct, contact support.`],
    [
      failure('target_not_allowed'),
      'It is odd',
      'Got text. Correct the address, or have it added to Allowed Destinations in the settings.',
    ],
    [transport('timeout'), 'It is odd', 'Wait a few minutes, then run it again.'],
    [transport('deadline'), 'It is odd', 'Wait a few minutes, then run it again.'],
    [transport('network'), 'It is odd', `${CHECK} and that the service is up, then run it again.`],
    [
      transport('certificate'),
      'It is odd',
      `${CHECK}. If it is correct, ask whoever manages your network or the server: its certificate may have expired, or a proxy may have replaced it.`,
    ],
    [
      transport('redirect'),
      'It is odd',
      `${CHECK}: it must be the final URL of the API. If it is correct, a sign-in page of your network may be in the way.`,
    ],
    [transport('aborted'), 'It is odd', 'To continue, run it again.'],
  ])('describes %p', (error, message, description) => {
    const told = { message, description, reference: '' };
    expect(describeError(error, { ...WORDS, otherwise: 'Ask Anna.' })).toEqual(told);
  });

  it('has a title of one short line', () => {
    expect(describeError(new QrServiceError('Two\nlines.', { code: 'x' })).message).toBe('Two lines');
    expect(describeError(new Error('x'.repeat(500))).message).toHaveLength(150);
  });

  it.each(['x'.repeat(5000), '\u{e0001}\u{e0001} was hidden', 'a\u0000b'])(
    'separates the title from any text that follows it: %j',
    (detail) => {
      const { message, description } = describeError(new TransportError('No.', { kind: 'network', detail }));
      expect(message).toBe('No');
      expect(description).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      expect(description.length).toBeLessThan(1200);
    },
  );

  it('hides the parts of a short link that may be secret', async () => {
    const empty = { list: () => ({ pages: async function* () {} }) };
    const finder = new CodeFinder(empty as unknown as ConstructorParameters<typeof CodeFinder>[0]);
    const link = 'https://anna:hunter2@r.example/a?token=hunter2';
    const missing: unknown = await finder.idOf(link).catch((error: unknown) => error);
    expect(describeError(missing).message).toBe('No QR code has the short link https://…@r.example/a?…');
  });
});

describe('a Deduplication Key', () => {
  const keyed = (code: ErrorCode) =>
    Object.assign(
      new ApiError({
        status: ERROR_CODES[code].status,
        ...{ code, message: '', method: 'POST', path: '/qr', retryable: false },
      }),
      { idempotencyKey: 'k' },
    );

  it.each([
    [keyed('quota_exceeded'), true],
    [new QrServiceError('The code is gone.', { code: 'not_visible' }), true],
    [keyed('invalid_api_key'), false],
    [new TransportError('No.', { kind: 'network' }), false],
  ])('has to be changed if %s may only be replayed: %s', (error, isReplay) => {
    const advice = 'If you have fixed the cause and it still fails, use another Deduplication Key.';
    expect(describeError(error, KEYED).description.endsWith(advice)).toBe(isReplay);
    expect(describeError(error, WORDS).description).not.toContain(advice);
  });
});

describe('describeNotPublished', () => {
  const code = { ...SAMPLE_QR_CODE, id: 'qr_1', name: 'Door', publicUrl: 'https://r.example/door' };

  it.each<[what: string, response: ServiceError, description: string]>([
    ['can be fixed', serviceError('approval_required', ''), 'Get it approved in the app, then publish it.'],
    [
      'needs another key',
      serviceError('invalid_api_key', ''),
      'Create a new API key in the app, then update the settings. To finish, publish it.',
    ],
    ['may pass', PROXY_PAGE, `${INSTEAD} Wait a few minutes, then publish it.`],
    [
      'is that the code is not found',
      serviceError('not_found'),
      'It may not be visible yet, or was deleted. Wait a few minutes, then publish it.',
    ],
  ])(
    'names the code, how to publish it and what not to rerun if the cause %s',
    async (_what, response, says) => {
      const cause = await thrownBy(response, 'publish');
      const { message, reference } = describeError(cause, WORDS);
      expect(describeNotPublished({ qrCode: code, cause }, DRAFT)).toEqual({
        message: `The QR code qr_1 was created but not published: ${message}`,
        description: `The code exists as a draft: "Door" (ID qr_1, https://r.example/door). ${says} Don't create it again.`,
        reference,
      });
    },
  );

  it('shows an ID on one line, cut if it is long', () => {
    for (const id of ['x'.repeat(500), '\u0000'])
      expect(
        describeNotPublished({ qrCode: { ...code, id }, cause: new Error('Down') }, DRAFT).message,
      ).toMatch(/^The QR code \P{C}{1,81} was created but not published: Down$/u);
  });
});
