import { QrServiceError } from '../errors/QrServiceError.ts';
import { seen } from './record.ts';

/** An answer that can't be read is an error that names what was seen, never an empty result. */
export function unreadable(what: string, body: unknown): QrServiceError {
  return new QrServiceError(`The service's answer holds no ${what}: it has ${seen(body)}.`, {
    code: 'unreadable_response',
  });
}
