import { QrServiceError } from '../errors/QrServiceError.ts';
import { describeShape } from './record.ts';

/**
 * The error for a response that can't be read. It says what was found, and prevents treating the response as an empty
 * result.
 * @param expected with its article
 */
export function unreadableResponse(expected: string, body: unknown): QrServiceError {
  return new QrServiceError(`Unexpected response: expected ${expected}.`, {
    code: 'unreadable_response',
    detail: `Got ${describeShape(body)}.`,
  });
}
