import { isApiError } from './ApiError.ts';
import { isTransportError } from './TransportError.ts';

/** Whether an error means that the service is down: no response, or a 5xx that may be temporary. */
export function isServiceUnavailable(error: unknown): boolean {
  if (isApiError(error)) return error.status >= 500 && error.retryable;
  return isTransportError(error) && (error.kind === 'network' || error.kind === 'timeout');
}
