import { QrServiceError } from '../errors/QrServiceError.ts';
import { describeShape } from './record.ts';

/**
 * A response that can't be read is an error that says what was found, never an empty result.
 * @param expected with its article
 */
export function unreadableResponse(expected: string, body: unknown): QrServiceError {
  return new QrServiceError(`Unexpected response: expected ${expected}.`, {
    code: 'unreadable_response',
    detail: `Got ${describeShape(body)}.`,
  });
}
