import { ApiError, QrServiceError, TransportError, type ErrorCode } from '@qr-service/core';
import { describeError, ERROR_CODES, ParameterError } from '@qr-service/core/connector';
import { ExpressionError, UserError } from 'n8n-workflow';
import { failureOf } from '../nodes/platform/errors.ts';
import { checkedWords, progressWords, wordsFor } from '../nodes/QrService/common/rowErrors.ts';

const api = (code: string, status: number, own: object = {}) =>
  new ApiError({ code, status, message: 'No.', retryable: false, method: 'GET', path: '/qr', ...own });
const documented = (...codes: ErrorCode[]) => codes.map((code) => api(code, ERROR_CODES[code].status));
const transport = (...codes: TransportError['code'][]) =>
  codes.map((code) => new TransportError('No.', { code }));
const own = (...codes: string[]) => codes.map((code) => new QrServiceError('No.', { code }));
const about = (...codes: ConstructorParameters<typeof ParameterError>[1]['code'][]) =>
  codes.map((code) => new ParameterError('No.', { code, parameter: 'QR Code', advice: '' }));

const EXPECTED = {
  'rate-limited': [...documented('rate_limited'), api('http_429', 429), api('slow_down', 429)],
  'quota-exhausted': documented('quota_exceeded'),
  'temporarily-unavailable': [
    ...transport('timeout', 'deadline', 'network', 'aborted'),
    ...[500, 501, 502, 503, 504, 408].map((status) => api(`http_${status}`, status)),
    api('maintenance', 503),
    new Error('ENOSPC: no space left on device'),
  ],
  'credential-invalid': [...documented('invalid_api_key'), api('key_suspended', 401)],
  'configuration-invalid': [
    ...documented('insufficient_scope', 'ip_not_allowed', 'workspace_mismatch', 'not_found'),
    ...documented('idempotency_in_progress', 'idempotency_conflict'),
    ...documented('invalid_cursor', 'validation_failed', 'approval_required', 'contrast_check_failed'),
    ...transport('certificate', 'redirect'),
    ...own(
      'invalid_input',
      'unreadable_response',
      'repeated_cursor',
      'not_visible',
      'not_published',
      'target_not_allowed',
    ),
    ...about('invalid_input', 'validation_failed', 'not_found', 'not_listed', 'search_limit'),
    ...about('ambiguous_name', 'archived', 'conflicting_rows', 'renamed'),
    // A page of a proxy says nothing about the key.
    ...[401, 403, 404, 407, 413].map((status) =>
      api(`http_${status}`, status, { intermediary: 'text/html' }),
    ),
    new UserError('Credential with ID "7" does not exist.'),
    new ExpressionError('Referenced node is unexecuted'),
  ],
  'node-defect': [new TypeError('x is not a function'), new RangeError('Invalid array length')],
};

test.each(Object.entries(EXPECTED).flatMap(([cause, errors]) => errors.map((error) => ({ cause, error }))))(
  'n8n is told "$cause" for: $error.name $error.code',
  ({ cause, error }) => expect(failureOf(error)).toEqual({ cause }),
);

test.each([
  ['rate_limited', 429, { retryAfterMs: 5000 }],
  ['http_503', 503, { retryAfterMs: 5000 }],
  ['http_403', 403, {}],
])('passes on the wait that the service asks for with %s, if waiting can help', (code, status, wait) => {
  const { cause: _cause, ...rest } = failureOf(api(code, status, { retryAfterMs: 5000 }));
  expect(rest).toEqual(wait);
});

test.each([
  [1, [0], ''],
  [9, [3], 'Invalid item, counted from 0: 3. Nothing was sent to the service.'],
  [
    9,
    [0, 3, 4, 7],
    'Invalid items, counted from 0: 0, 3 (No 3), 4 (No 4), 7 (No 7). Nothing was sent to the service.',
  ],
  [
    9,
    [0, 3, 4, 7, 8],
    'Invalid items, counted from 0: 0, 3 (No 3), 4 (No 4), 7 (No 7) and 1 more. Nothing was sent to the service.',
  ],
])('of %d items, names the invalid ones, and why up to three others are: %j', (items, invalid, words) => {
  const errors = invalid.map((item): [number, Error] => [item, new Error(`No ${item}.`)]);
  expect(checkedWords(items, new Map(errors))).toBe(words);
});

const DONE = '3 of 9 items are done. Item 0 and 2 more failed, counted from 0.';
const RETRY = `${DONE} A retry under Executions within 24 hours won't create their codes again.`;
const AGAIN = 'A new execution will, unless Match By is Name or they have a Deduplication Key.';
test.each([
  ['publish', false, DONE],
  ['upsert', true, RETRY],
  ['upsert', false, `${RETRY} ${AGAIN}`],
])('after %s failed, with keys: %j, tells what is done and how to continue', (operation, isKeyed, words) => {
  const progress = { items: 9, itemIndex: 0, done: 3, failed: 3, isKeyed, isRetriable: true };
  expect(progressWords(`qrCode.${operation}`, new Error('No.'), progress)).toBe(words);
});

test.each([
  ['publish', false],
  ['retarget', false],
  ['create', true],
])('%s advises another key: %j', (operation, isAdvised) => {
  const words = { ...wordsFor(`qrCode.${operation}`, true), hasDeduplicationKey: isAdvised };
  const { description } = describeError(api('idempotency_conflict', 409), words);
  expect(description.includes('Use a new')).toBe(isAdvised);
});
