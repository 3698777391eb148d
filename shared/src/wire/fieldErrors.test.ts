import { readFieldErrors, type FieldError } from './fieldErrors.ts';

const TARGET = ['content', 'targetUrl'];
const REASON = 'must be an absolute URL';
const ONE: FieldError[] = [{ path: TARGET, reason: REASON }];

describe('readFieldErrors', () => {
  it.each<[string, Record<string, unknown>]>([
    ['a map in a wrapper', { message: 'Bad', fields: { 'content.targetUrl': REASON }, errors: null }],
    ['a map in another wrapper', { errors: { 'content.targetUrl': REASON } }],
    ['a map at the top', { 'content.targetUrl': REASON }],
    [
      'a map with lists of messages',
      { fieldErrors: { 'content.targetUrl': [REASON] }, formErrors: ['other'] },
    ],
    ['a map with objects', { errors: { 'content.targetUrl': { message: REASON, code: 'invalid' } } }],
    ['a nested map', { content: { targetUrl: REASON } }],
    ['a nested map in a wrapper', { errors: { content: { targetUrl: [REASON] } } }],
    ['a list of fields and messages', { items: [{ field: 'content.targetUrl', message: REASON }] }],
    ['a list in a wrapper', { errors: [{ param: 'content.targetUrl', reason: REASON }] }],
    ['a JSON pointer', { items: [{ path: '/content/12/targetUrl', message: REASON }] }],
    ['a code before the path', { items: [{ field: 'not a name', path: TARGET, message: REASON }] }],
    ['a map in a wrapper of a wrapper', { details: { errors: { 'content.targetUrl': REASON } } }],
    ['a path in an array', { issues: [{ path: TARGET, message: REASON }] }],
    ['a path in an array that starts with the body', { items: [{ loc: ['body', ...TARGET], msg: REASON }] }],
    ['a path with brackets', { violations: [{ field: '$.content["targetUrl"]', message: REASON }] }],
    ['a pointer in a source', { errors: [{ source: { pointer: '/content/targetUrl' }, detail: REASON }] }],
    [
      'errors of a JSON schema validator',
      { items: [{ instancePath: '/content/targetUrl', message: REASON }] },
    ],
    ['errors of an older one', { validation: [{ dataPath: '.content.targetUrl', message: REASON }] }],
    ['a name next to a reason', { invalid: [{ name: 'content.targetUrl', reason: REASON }] }],
    ['a key next to a reason', { errors: [{ key: 'content.targetUrl', message: REASON }] }],
    ['a list of reasons', { errors: [{ field: 'content.targetUrl', message: [REASON, 'other'] }] }],
    ['a map next to an empty wrapper', { errors: null, 'content.targetUrl': REASON }],
    ['a single error', { field: 'content.targetUrl', message: REASON }],
    [
      'a message that starts with the field',
      { fields: { 'content.targetUrl': ` content.targetUrl:  ${REASON}` } },
    ],
    ['a list of messages', { errors: [`content.targetUrl ${REASON}`] }],
  ])('reads %s', (_what, details) => expect(readFieldErrors(details, 'Validation failed')).toEqual(ONE));

  it.each<[string, string, FieldError[]]>([
    ['starts with a path', `content.targetUrl ${REASON}`, ONE],
    ['starts with a quoted name', '"url" is required', [{ path: ['url'], reason: 'is required' }]],
    ['starts with a name and a colon', 'name: too long', [{ path: ['name'], reason: 'too long' }]],
    [
      'contains a technical name',
      'The given targetUrl is odd',
      [{ path: ['targetUrl'], reason: 'The given targetUrl is odd' }],
    ],
    ['contains an English word that is also a field', 'The name of the format is odd', []],
    ['starts with such a word', 'Name your price', []],
    ['is about something else', 'Validation failed', []],
    ['is empty', '', []],
  ])('finds the field in a message that %s', (_what, message, expected) =>
    expect(readFieldErrors(undefined, message)).toEqual(expected),
  );

  it.each<[string, Record<string, unknown>]>([
    ['nothing', {}],
    ["names that aren't fields", { documentation: 'https://example.com', path: '/v1/qr', count: 3 }],
    ['a message alone', { message: 'Nothing is wrong' }],
    ['null', { fields: null, errors: undefined }],
    ['numbers', { errors: [1, 2], fields: 3 }],
    [
      'very deep objects',
      JSON.parse(`${'{"errors":'.repeat(50)}1${'}'.repeat(50)}`) as Record<string, unknown>,
    ],
  ])('finds none in %s', (_what, details) => expect(readFieldErrors(details, 'Bad')).toEqual([]));

  it('reads every field of several', () =>
    expect(
      readFieldErrors(
        {
          fields: { mode: 'url', 'content.targetUrl': [REASON, 'other'], owner: 'is odd' },
          errors: [{ field: 'folderId', message: 'is odd' }, { field: 'name' }],
        },
        '',
      ),
    ).toEqual([
      { path: ['mode'], reason: 'url' },
      ...ONE,
      { path: TARGET, reason: 'other' },
      { path: ['owner'], reason: 'is odd' },
      { path: ['folderId'], reason: 'is odd' },
      { path: ['name'] },
    ]));

  it('reads a list of names without reasons', () =>
    expect(readFieldErrors({ items: ['name', 'content.targetUrl'] }, '')).toEqual([
      { path: ['name'] },
      { path: TARGET },
    ]));
});
