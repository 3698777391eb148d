import { ApiError, type ApiErrorInit } from '../errors/ApiError.ts';
import { QrServiceError } from '../errors/QrServiceError.ts';
import { TransportError } from '../errors/TransportError.ts';
import { NEUTRAL_WORDS } from '../errors/explain.ts';
import { describeConnectionError, describeError, describeNotPublished } from './describeError.ts';
import { resolveCodeId } from './findCodes.ts';
import { notVisible } from './upsertErrors.ts';

/** The description of a rejected update of a code's destination. */
const told = (facts: Partial<ApiErrorInit>) =>
  describeError(
    new ApiError({
      status: 422,
      code: 'validation_failed',
      message: 'Validation failed',
      method: 'POST',
      path: '/qr/qr_1/destination',
      retryable: false,
      ...facts,
    }),
  );
const about = (reason: unknown, url?: string) =>
  told({ details: { fields: { url: reason } }, ...(url !== undefined && { input: { url } }) });
const rejected = (reason: string, field = 'name') => told({ details: { fields: { [field]: reason } } });

describe('describeError', () => {
  it.each([
    [
      true,
      'The Deduplication Key was used before with different input',
      'Use a new key for different input.',
    ],
    [false, 'The service mistook this request for an earlier one with different input', undefined],
  ])('speaks of a Deduplication Key only if one was given: %s', (hasDeduplicationKey, title, advice) => {
    const conflict = new ApiError({
      status: 409,
      code: 'idempotency_conflict',
      message: '',
      method: 'POST',
      path: '/qr',
      retryable: false,
    });
    const { message, description } = describeError(conflict, { ...NEUTRAL_WORDS, hasDeduplicationKey });
    expect(message).toBe(title);
    expect(description).toBe(advice ?? 'If it keeps failing, contact support.');
  });

  it('hides the parts of a refused address that may be secret', () =>
    expect(about('is on a blocked host', 'https://a:hunter2@b.example/x?y=1')).toMatchObject({
      message: "New Target URL isn't valid: 'https://…@b.example/x?…'",
      description: 'It is on a blocked host.',
    }));

  it('hides the same in a short link that no code has', async () => {
    const link = 'https://anna:hunter2@r.example/a?token=hunter2';
    const missing: unknown = await resolveCodeId(link, () => Promise.resolve(undefined)).catch(
      (error: unknown) => error,
    );
    expect(describeError(missing).message).toBe('No QR code has the short link https://…@r.example/a?…');
  });

  it.each(['Who? Me: #1', "Lunch: 12:00 @ Joe's"])('shows the name %s as it is', (name) =>
    expect(told({ details: { fields: { name: 'is taken' } }, input: { name } }).message).toBe(
      `Name isn't valid: '${name}'`,
    ),
  );

  it.each([
    ['/qr', 'url', 'Target URL'],
    ['/qr', 'content.url', 'Target URL'],
    ['/qr/qr_1/destination', 'targetUrl', 'New Target URL'],
    ['/webhooks', 'url', 'Webhook URL'],
  ])('labels the URL that POST %s sends as %s', (path, field, label) =>
    expect(told({ path, details: { fields: { [field]: 'Invalid url' } } }).message).toBe(
      `${label} isn't a valid web address`,
    ),
  );

  it('labels the URL as the inputs of an action do that sends several requests', () => {
    const cause = new ApiError({
      status: 422,
      code: 'validation_failed',
      message: 'url is odd',
      method: 'POST',
      path: '/qr/qr_1/destination',
      retryable: false,
    });
    const words = { ...NEUTRAL_WORDS, inputsOf: 'qr.create' as const };
    expect(describeError(cause, words).message).toBe("Target URL isn't valid");
  });

  it('names a field once, however many errors it has', () =>
    expect(
      told({
        details: {
          items: [
            { field: 'url', message: 'Invalid url' },
            { field: 'url', message: 'must be https' },
            { field: 'name', message: 'is odd' },
            { field: 'name', message: 'is taken' },
          ],
        },
      }).description,
    ).toBe("Use a full web address, for example https://example.com/menu. Also: Name isn't valid."));

  it.each([
    ['is 120 characters long, but at most 80 are allowed', 'Use at most 80 characters.'],
    ['String must contain at most 80 character(s)', 'Use at most 80 characters.'],
    ['has 120 characters, maximum is 1,000', 'Use at most 1,000 characters.'],
    ['must be 80 characters or fewer', 'Use at most 80 characters.'],
    ['is too long', 'Shorten it.'],
  ])('reads the longest length in: %s', (reason, fix) =>
    expect(rejected(reason)).toMatchObject({ message: 'Name is too long', description: fix }),
  );

  /** A rule for several things at once, and which of them the value breaks. */
  const RULE = 'must be an absolute URL with http or https, of at most 2,048 characters';
  const LONG = `https://example.com/${'a'.repeat(2048)}`;
  it.each([
    [
      'a space',
      'https://example.com/summer menu',
      "New Target URL contains a space: 'https://example.com/summer menu'",
      'Remove it, or write it as %20.',
    ],
    [
      'no space and few characters',
      'https://example.com/menu',
      "New Target URL isn't valid: 'https://example.com/menu'",
      'It must be an absolute URL with http or https, of at most 2,048 characters.',
    ],
    ['too many', LONG, 'New Target URL is too long: 2068 characters', 'Use at most 2,048 characters.'],
    [
      'too many once they are escaped',
      `https://example.com/${'é'.repeat(500)}`,
      'New Target URL is too long: 3020 characters once escaped',
      'Use at most 2,048 characters.',
    ],
    [
      'no scheme',
      'example.com/menu',
      "New Target URL isn't a valid web address: 'example.com/menu'",
      'Use a full web address, for example https://example.com/menu.',
    ],
  ])('says what is wrong with a URL that has %s', (_what, url, message, description) =>
    expect(about(RULE, url)).toMatchObject({ message, description }),
  );

  it.each([
    [
      'must be at most 80 characters and contain a letter',
      '2026',
      'It must be at most 80 characters and contain a letter.',
    ],
    [
      'must be 1 to 80 characters, max 80, and unique',
      'Menu',
      'It must be 1 to 80 characters, max 80, and unique.',
    ],
    [
      'contains a forbidden word (maximum length is 255 characters)',
      'Admin',
      'Contains a forbidden word (maximum length is 255 characters).',
    ],
  ])("does not call a short name too long: '%s'", (reason, name, description) =>
    expect(told({ details: { fields: { name: reason } }, input: { name } })).toMatchObject({
      message: `Name isn't valid: '${name}'`,
      description,
    }),
  );

  it.each([
    ['é'.repeat(80), 'Name is too long: 160 bytes'],
    ['a'.repeat(120), 'Name is too long: 120 characters'],
  ])('calls a name too long that is: %s', (name, message) =>
    expect(
      told({ details: { fields: { name: 'must be at most 100 characters' } }, input: { name } }),
    ).toMatchObject({ message, description: 'Use at most 100 characters.' }),
  );

  it.each<[string, Record<string, unknown>, string, string]>([
    ['without a letter', { fields: { $$$: 'is odd' } }, 'The input is odd', ''],
    ['without a reason', { items: ['name'] }, "Name isn't valid", 'Check its value.'],
    [
      'of another kind of content',
      { fields: { content: { phone_number: 'is_required' } } },
      "Content isn't valid",
      'phone_number: It is required.',
    ],
    ['that is missing', { fields: { name: 'is required' } }, 'Name is empty', 'Enter a value.'],
    ['with a code as its reason', { fields: { name: '{}' } }, "Name isn't valid", 'Check its value.'],
    [
      'with its name in its reason',
      { fields: { targetUrl: 'Bad content.targetUrl' } },
      "New Target URL isn't valid",
      'Bad New Target URL.',
    ],
    ['whose name is JSON', { fields: { '{"a":1}': 'is odd' } }, 'The input is odd', ''],
    ['with JSON as its reason', { fields: { folderId: '{"a":1}' } }, "Folder ID isn't valid", ''],
    [
      'with control characters in its reason',
      { fields: { folderId: 'must be\u0000\u202eset' } },
      'Folder ID must be set',
      '',
    ],
    [
      'with line separators in its reason',
      { fields: { folderId: 'must be\u2028set' } },
      'Folder ID must be set',
      '',
    ],
    [
      'with a blank name inside it',
      { fields: { content: { '\u0000': 'is odd' } } },
      "Content isn't valid",
      'It is odd.',
    ],
  ])('describes a field %s', (_what, details, message, description) =>
    expect(told({ details })).toMatchObject({ message, description }),
  );

  it.each(['!', '\\|s', '#', '{}'])('uses its own title for the message %s of an unknown code', (message) =>
    expect(told({ code: 'odd', message }).message).toBe('The service refused the request'),
  );

  it('shows no status if the service sends no message', () =>
    expect(
      told({ status: 429, code: 'rate_limited', message: 'The service responded with status 429.' }),
    ).toMatchObject({ description: 'Wait a minute, then retry.' }));

  it('shows an ID whole, unless it is too long for a title', () => {
    const path = (id: string) => ({ status: 404, code: 'not_found', path: `/qr/${id}` });
    const uuid = 'qr_123e4567-e89b-12d3-a456-426614174000-eu-1';
    expect(told(path(uuid)).message).toBe(`No QR code with ID ${uuid} was found`);
    const words = { ...NEUTRAL_WORDS, publish: 'publish it', again: '' };
    for (const id of ['x'.repeat(500), '\u0000'])
      expect(describeNotPublished({ qrCode: { id }, cause: new Error('Down') }, words).message).toMatch(
        /^The QR code \P{C}{1,81} was created but not published: Down$/u,
      );
    const draft = { qrCode: { id: 'qr_1' }, cause: new Error('Down'), mayPointElsewhere: true };
    expect(describeNotPublished(draft, words).description).toContain(
      'Set its destination and publish it (ID',
    );
    const cause = new ApiError({
      status: 404,
      code: 'not_found',
      message: '',
      method: 'POST',
      path: '/qr/qr_1',
      retryable: false,
    });
    expect(describeNotPublished({ ...draft, cause }, words).description).toMatch(
      /^It may not be visible yet, or was deleted\. Wait/,
    );
    const gone = describeError(notVisible({ id: 'qr_1', name: 'Door' }), {
      ...words,
      hasDeduplicationKey: true,
    });
    expect(gone.description).toMatch(/use another Deduplication Key\.$/);
  });

  it('capitalizes titles', () =>
    expect(told({ code: 'odd', message: 'not tonight. try tomorrow' })).toMatchObject({
      message: 'Not tonight',
      description: 'try tomorrow.',
    }));

  it.each([
    ['a text', 'qr:write, qr:read', 'The API key lacks the scopes qr:read, qr:write'],
    ['a text with spaces', 'qr:write qr:read', 'The API key lacks the scopes qr:read, qr:write'],
    ['JSON', ['{"a":1}'], 'The API key lacks the scope qr:write'],
    ['very long', ['x'.repeat(500)], 'The API key lacks the scope qr:write'],
  ])('names the missing scope if the service sends it as %s', (_what, required, message) =>
    expect(told({ status: 403, code: 'insufficient_scope', details: { required } }).message).toBe(message),
  );

  it.each(['x'.repeat(5000), '\u{e0001}\u{e0001} was hidden', 'a\u0000b'])(
    'separates the title from any text that follows it: %j',
    (detail) => {
      const { message, description } = describeError(
        new TransportError('The service could not be reached.', { kind: 'network', detail }),
      );
      expect(message).toBe('The service could not be reached');
      expect(description).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      expect(description.length).toBeLessThan(1200);
    },
  );

  const words = { ...NEUTRAL_WORDS, credential: 'settings', rerun: 'run it', hasDeduplicationKey: true };
  const failure = (code: string, more: object = {}) =>
    Object.assign(new QrServiceError('It is odd.', { code, detail: 'Got text.' }), more);
  const api = (status: number, code: string) =>
    Object.assign(
      new ApiError({ status, code, message: '', method: 'POST', path: '/qr', retryable: false }),
      { idempotencyKey: 'k' },
    );
  const CHECK = 'Check Base URL in the settings';
  const KEY = 'If you have fixed the cause and it still fails, use another Deduplication Key.';
  it.each<[unknown, string, description: string, thenPublish?: string]>([
    ['down', 'Something went wrong', '', 'Publish it (ID qr_1). Wait.'],
    [new Error('Down.'), 'Down', '', 'Publish it (ID qr_1). Wait.'],
    [failure('x'), 'It is odd', 'Got text.'],
    [
      failure('x', { unconfirmedCode: 'Door' }),
      'It is odd',
      'A QR code named "Door" may have been created. It isn\'t published. Got text.',
    ],
    [
      failure('invalid_input'),
      'It is odd',
      'Got text.',
      'The code exists as a draft. Got text. Then publish it (ID qr_1). Wait.',
    ],
    [failure('unreadable_response'), 'It is odd', `Got text. ${CHECK}. If it is correct, contact support.`],
    [
      new TransportError('No.', { kind: 'network' }),
      'No',
      `${CHECK} and that the service is up, then run it.`,
      'and that the service is up, then publish it (ID qr_1). Wait.',
    ],
    [
      api(422, 'approval_required'),
      'An approval is required first',
      `Get it approved in the app, then run it. ${KEY}`,
      'Once it is approved, publish it (ID qr_1). Wait.',
    ],
  ])(
    'describes %p, alone and as the cause of an unpublished code',
    (cause, title, description, last = '') => {
      expect(describeError(cause, words)).toMatchObject({ message: title, description });
      expect(describeConnectionError(cause, words)).toEqual(describeError(cause, words));
      const draft = describeNotPublished(
        { qrCode: { id: 'qr_1' }, cause },
        { ...words, publish: 'publish it', again: 'Wait.' },
      );
      const inside = title.replace(/^(?:It|An|Too) /, (word) => word.toLowerCase());
      expect(draft.message).toBe(`The QR code qr_1 was created but not published: ${inside}`);
      expect(draft.description).toMatch(/^(?!.* {2}).*The code exists as a draft\..*\.$/);
      expect(draft.description.endsWith(last)).toBe(true);
    },
  );

  it('names Base URL for a 404 of a connection test', () =>
    expect(describeConnectionError(api(404, 'not_found'), words)).toMatchObject({
      message: "The server at Base URL isn't the service's API",
      description: `${CHECK}.`,
    }));

  it('keeps the title on one line', () =>
    expect(describeError(new QrServiceError('Two\nlines.', { code: 'x' })).message).toBe('Two lines'));
});
