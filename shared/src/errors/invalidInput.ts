import { QrServiceError } from './QrServiceError.ts';

/**
 * The error for an option or an id that can't be used: nothing was sent.
 * @param message one sentence
 * @param detail what a valid one looks like, in whole sentences
 */
export function invalidInput(message: string, detail?: string): QrServiceError {
  return new QrServiceError(message, { code: 'invalid_input', ...(detail !== undefined && { detail }) });
}
