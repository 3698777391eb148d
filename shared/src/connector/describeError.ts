import { isApiError } from '../errors/ApiError.ts';
import { explainFailure, type ErrorDescription } from '../errors/explain.ts';
import { isParameterError } from './parameters/ParameterError.ts';
import type { TransportFailure } from '../errors/codes.ts';
import { isTransportError } from '../errors/TransportError.ts';

const TRANSPORT_ADVICE: Record<TransportFailure, string> = {
  timeout: 'Run this step again; if it keeps happening, check that the service is up.',
  network: 'Check the base address of the connection and that the service is up, then run this step again.',
  certificate:
    'Check the base URL in the connection. If it is correct, ask whoever manages your network or the server: its certificate may have expired, or a proxy may have replaced it.',
  aborted: 'Run this step again.',
  deadline: 'Run this step again later.',
  too_large:
    'Ask for fewer rows a page or a smaller image. If the response should be small, check the base URL in the connection.',
  redirect:
    'Check the base URL in the connection: it must be the final URL of the API. If it is correct, a sign-in page of your network may be in the way.',
};

/**
 * What happened and what to do next, for any thrown value. Contains no API key and no signing secret.
 * @example
 * ```ts
 * import { describeError, toWholeNumber } from '@qr-service/core/connector';
 *
 * try {
 *   toWholeNumber('many', { label: 'Limit', min: 1 });
 * } catch (error) {
 *   console.log(describeError(error).description); // Correct it and try again.
 * }
 * ```
 */
export function describeError(error: unknown): ErrorDescription {
  if (isApiError(error)) {
    const { status, code, serviceMessage: message, details, requestId, retryAfterMs, intermediary } = error;
    return explainFailure({ status, code, message, details, requestId, retryAfterMs, intermediary });
  }
  if (isTransportError(error)) return { message: error.message, description: TRANSPORT_ADVICE[error.kind] };
  if (isParameterError(error)) return { message: error.message, description: error.advice };
  return { message: error instanceof Error ? error.message : 'Something went wrong.', description: '' };
}

/** The same for the test of a connection, which requests no record: a 404 means that the base URL is wrong. */
export function describeConnectionError(error: unknown): ErrorDescription {
  if (!isApiError(error) || error.status !== 404) return describeError(error);
  return {
    message: 'The server at the base URL is not the API of the service (status 404).',
    description: 'Check the base address.',
  };
}
