import { fc } from '../../../../test/support/fastCheck.ts';
import { problemsWith } from '../../../../test/support/faultyService/serviceErrors.ts';
import { runs } from '../../../../test/support/seed.ts';
import { ERROR_CODES, isErrorCode } from '../../contract/errorCodes.ts';
import { SAMPLE_QR_CODE } from '../../contract/fields.ts';
import { ApiError } from '../../errors/ApiError.ts';
import { describeNotPublished } from '../qrCodes/NotPublishedError.ts';
import { describeError } from './describeError.ts';

const NOT_PUBLISHED = { credential: 'settings', publish: 'publish it', again: "Don't create it again." };

/** Words that the readers look for, and text that no error may show. */
const words = fc.oneof(
  fc.constantFrom('must be an absolute URL', 'Invalid url', 'is required', 'url must be https', 'too long'),
  fc.constantFrom('{"a":1}', '<b>x</b>', '[]', 'a\u0000b', 'a\u202eb', '\n\n', ' ', 'x'.repeat(5000)),
  fc.constantFrom('content.targetUrl', 'constructor', '!', '…', 'The service rejected the input'),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
);
const names = 'name url content fields errors items details field path loc source message reason folderId';
const name = fc.oneof(
  fc.constantFrom(...names.split(' '), 'content.targetUrl', 'required', 'granted', '-', '$$$'),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', '/\u0000/', '{"a":1}'),
);
const object = (value: fc.Arbitrary<unknown>) =>
  fc.array(fc.tuple(name, value), { maxLength: 4 }).map((entries) => Object.fromEntries(entries));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    words,
    fc.constantFrom(null, true, 7),
    fc.array(tie('value'), { maxLength: 4 }),
    object(tie('value')),
  ),
}));
const request = fc.constantFrom(
  ['POST', '/qr'] as const,
  ['GET', '/qr'] as const,
  ['POST', '/qr/qr_1/destination'] as const,
  ['GET', '/qr/qr%201/image'] as const,
  ['POST', '/webhooks'] as const,
);

test('any error response results in a readable title and a short description', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('validation_failed', 'odd', ...Object.keys(ERROR_CODES)),
      words,
      object(value),
      request,
      (code, message, details, [method, path]) => {
        const status = isErrorCode(code) ? ERROR_CODES[code].status : 422;
        const cause = new ApiError({ status, code, message, details, method, path, retryable: false });
        for (const told of [
          describeError(cause),
          describeNotPublished({ qrCode: SAMPLE_QR_CODE, cause }, NOT_PUBLISHED),
        ]) {
          const problems = problemsWith(told.message, told.description);
          // A scope may have any name.
          const isFair = (problem: string) =>
            code !== 'insufficient_scope' || !/^the title contains (a name from the API|JSON)$/.test(problem);
          expect([told, problems.filter(isFair)]).toEqual([told, []]);
        }
      },
    ),
    { numRuns: runs(100, 5000) },
  );
});
