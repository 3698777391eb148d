import { isApiError } from './ApiError.ts';
import { isTransportError } from './TransportError.ts';

/** Whether a failure says that the service did not answer: none came, or one of a service that is down (5xx). */
export function isServiceUnavailable(error: unknown): boolean {
  if (isApiError(error)) return error.status >= 500 && error.retryable;
  return isTransportError(error) && (error.kind === 'network' || error.kind === 'timeout');
}
