import { QrServiceError } from './QrServiceError.ts';

/** The error for an option or an id that can't be used: nothing was sent. */
export function invalidInput(message: string): QrServiceError {
  return new QrServiceError(message, { code: 'invalid_input' });
}
