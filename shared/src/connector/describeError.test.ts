import { ApiError, type ApiErrorInit } from '../errors/ApiError.ts';
import { QrServiceError } from '../errors/QrServiceError.ts';
import { TransportError } from '../errors/TransportError.ts';
import { NEUTRAL_WORDS } from '../errors/explain.ts';
import { describeConnectionError, describeError, describeNotPublished } from './describeError.ts';
import { CodeFinder } from './CodeFinder.ts';
import { notVisible } from './codeErrors.ts';

/** A workspace without codes. */
const EMPTY = { list: () => ({ pages: async function* () {} }) } as unknown as ConstructorParameters<
  typeof CodeFinder
>[0];

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

  it('hides the parts of a short link that may be secret', async () => {
    const link = 'https://anna:hunter2@r.example/a?token=hunter2';
    const missing: unknown = await new CodeFinder(EMPTY).idOf(link).catch((error: unknown) => error);
    expect(describeError(missing).message).toBe('No QR code has the short link https://…@r.example/a?…');
  });

  it("shows the service's message and details after its own title", () =>
    expect(
      told({
        message: 'No such place',
        details: { fields: { url: 'must be https' }, items: [{ field: 'name', message: 'is taken' }, 7] },
      }),
    ).toMatchObject({
      message: 'The service rejected the input',
      description:
        'No such place. Details: fields: url: must be https, items: field: name, message: is taken; 7. Correct the input.',
    }));

  it('shortens long details and shows them on one line', () => {
    const { description } = told({ details: { a: 'x\u0000\n\u2028y', b: 'z'.repeat(5000) } });
    expect(description).toContain('Details: a: x   y, b: zzz');
    expect(description.length).toBeLessThan(400);
  });

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
