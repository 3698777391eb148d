import { QrServiceError } from './QrServiceError.ts';

/**
 * The error for an invalid option or ID. Nothing was sent.
 * @param message one sentence
 * @param detail how to fix it, in whole sentences
 */
export function invalidInput(message: string, detail?: string): QrServiceError {
  return new QrServiceError(message, { code: 'invalid_input', ...(detail !== undefined && { detail }) });
}
