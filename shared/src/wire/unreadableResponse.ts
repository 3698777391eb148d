import { QrServiceError } from '../errors/QrServiceError.ts';
import { describeShape } from './record.ts';

/** A response that can't be read is an error that names what was found, never an empty result. */
export function unreadableResponse(expected: string, body: unknown): QrServiceError {
  return new QrServiceError(`The service's response holds no ${expected}: it has ${describeShape(body)}.`, {
    code: 'unreadable_response',
  });
}
