import { ERROR_CODES, isErrorCode } from '../contract/errorCodes.ts';
import { text, textList } from '../wire/record.ts';
import { isApiError, type ApiError } from './ApiError.ts';
import { isQrServiceError } from './QrServiceError.ts';
import { isTransportError, type TransportFailure } from './TransportError.ts';

/** What people are told about an error, the same on every platform. */
export interface ErrorDescription {
  /** What happened. */
  message: string;
  /** What to do next; may be empty. */
  description: string;
}

const TRANSPORT_ADVICE: Record<TransportFailure, string> = {
  timeout: 'Run this step again; if it keeps happening, check that the service is up.',
  network: 'Check the base address of the connection and that the service is up, then run this step again.',
  aborted: 'Run this step again.',
  redirect: 'Check the base address of the connection: it must be the final address of the API.',
};

/** What happened and what to do next, for any thrown value. Holds no key and no secret. */
export function describeError(error: unknown): ErrorDescription {
  if (isApiError(error)) return describeApiError(error);
  if (isTransportError(error)) return { message: error.message, description: TRANSPORT_ADVICE[error.kind] };
  if (isQrServiceError(error)) return { message: error.message, description: '' };
  return { message: error instanceof Error ? error.message : 'Something went wrong.', description: '' };
}

function describeApiError(error: ApiError): ErrorDescription {
  const support = error.requestId === undefined ? '' : ` (request ${error.requestId})`;
  if (error.code === 'insufficient_scope') return describeScope(error, support);
  const facts = isErrorCode(error.code) ? ERROR_CODES[error.code] : undefined;
  if (facts === undefined)
    return { message: `${sentence(error.message)}${support}`, description: fallbackAdvice(error) };
  const said = sentence(error.message);
  const message = said === facts.meaning ? said : `${facts.meaning} ${said}`;
  return { message: `${message}${fieldsNamed(error)}${support}`, description: advice(error, facts.advice) };
}

function describeScope(error: ApiError, support: string): ErrorDescription {
  const required = text(error.details?.['required']) ?? textList(error.details?.['required'])?.join(', ');
  const granted = textList(error.details?.['granted']);
  const held = granted === undefined ? '' : ` It has ${granted.length === 0 ? 'none' : granted.join(', ')}.`;
  return {
    message: `The API key lacks the scope ${required ?? 'that this step needs'}.${held}${support}`,
    description: `Make an API key with ${required === undefined ? 'that scope' : `the scope ${required}`} in the app and put it into the connection.`,
  };
}

function advice(error: ApiError, usual: string): string {
  if (error.retryAfterMs === undefined || error.status !== 429) return usual;
  return `Wait ${Math.ceil(error.retryAfterMs / 1000)} seconds, then run this step again.`;
}

function fallbackAdvice(error: ApiError): string {
  if (error.status >= 500) return 'The service has a problem of its own: run this step again later.';
  return error.requestId === undefined ? '' : "Give the request's id to the service's support.";
}

/** The shape of `details` is not shown in the API text; a plain object of fields is told as it is. */
function fieldsNamed(error: ApiError): string {
  if (error.code !== 'validation_failed' || error.details === undefined) return '';
  const said = Object.entries(error.details).map(([key, value]) =>
    typeof value === 'string' || typeof value === 'number'
      ? `${key}: ${value}`
      : `${key}: ${JSON.stringify(value)}`,
  );
  return said.length === 0 ? '' : ` (${said.join('; ').slice(0, 500)})`;
}

function sentence(message: string): string {
  const trimmed = message.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
