import { ERROR_CODES, isErrorCode } from '../contract/errorCodes.ts';
import { clip } from './clip.ts';
import { text, textList } from '../json/values.ts';

/** What users are told about an error, the same on every platform. */
export interface ErrorDescription {
  /** What happened. */
  message: string;
  /** What to do next; may be empty. */
  description: string;
}

/** The fields of a failure that its explanation needs. */
export interface Failure {
  status: number;
  code: string;
  /** The service's own message. */
  message: string;
  details?: Record<string, unknown> | undefined;
  requestId?: string | undefined;
  /** Milliseconds. */
  retryAfterMs?: number | undefined;
  /** What responded in the service's place. */
  intermediary?: string | undefined;
}

/** Characters that `details` may add to a message. */
const MAX_DETAILS_LENGTH = 500;

/** What a failure of the service means and what to do about it. */
export function explainFailure(failure: Failure): ErrorDescription {
  if (failure.intermediary !== undefined) return explainIntermediary(failure, failure.intermediary);
  const support = failure.requestId === undefined ? '' : ` (request ${failure.requestId})`;
  if (failure.code === 'insufficient_scope') return explainScope(failure, support);
  const stated = sentence(failure.message);
  const known = isErrorCode(failure.code) ? ERROR_CODES[failure.code] : undefined;
  if (known === undefined) return { message: `${stated}${support}`, description: adviceByStatus(failure) };
  const message = stated === known.meaning ? stated : `${known.meaning} ${stated}`;
  return {
    message: `${message}${describeFields(failure)}${support}`,
    description: advice(failure, known.advice),
  };
}

/** A response that isn't the service's own, such as a proxy's page. */
export function describeForeignResponse(status: number, intermediary: string): string {
  return `The response isn't the service's own: a proxy, firewall or sign-in page may have responded instead (status ${status}, ${intermediary}).`;
}

const FOREIGN_ADVICE: Record<number, string> = {
  401: 'Check the base URL and the API key in the connection. If both are correct, ask whoever manages the proxy or firewall to allow requests to the service.',
  429: 'Wait a minute, then run this step again.',
  407: "Add the proxy's user name and password to your proxy settings, or ask whoever manages your network.",
  408: 'Run this step again later.',
  413: 'The request is too large for it. Shorten the input, then run this step again.',
};

function explainIntermediary({ status, retryAfterMs }: Failure, intermediary: string): ErrorDescription {
  const usual =
    status >= 500
      ? 'It may not be able to reach the service. Run this step again later.'
      : 'Check the base URL in the connection. If it is correct, ask whoever manages the proxy or firewall to allow requests to the service.';
  return {
    message: describeForeignResponse(status, intermediary),
    description: retryAfterMs ? wait(retryAfterMs) : (FOREIGN_ADVICE[status] ?? usual),
  };
}

function explainScope({ details }: Failure, support: string): ErrorDescription {
  const required = text(names([details?.['required']].flat()));
  const granted = names(details?.['granted']);
  const held = granted === undefined ? '' : ` It has ${granted === '' ? 'none' : granted}.`;
  const wanted = required === undefined ? 'that scope' : `the scope ${required}`;
  return {
    message: `The API key lacks the scope ${required ?? 'that this step needs'}.${held}${support}`,
    description: `Make an API key with ${wanted} in the app, then update the connection.`,
  };
}

function names(value: unknown): string | undefined {
  const list = textList(value);
  return list && clip(list.join(', '), MAX_DETAILS_LENGTH);
}

function advice({ status, retryAfterMs }: Failure, usual: string): string {
  if (retryAfterMs === undefined || status !== 429) return usual;
  return wait(retryAfterMs);
}

function wait(ms: number): string {
  return `Wait ${duration(ms)}, then run this step again.`;
}

/** A time as people read it, rounded up: `90 seconds`, `58 minutes`, `3 hours`. */
export function duration(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  if (seconds <= 300) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return seconds <= 7200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`;
}

function adviceByStatus({ status, requestId, retryAfterMs }: Failure): string {
  if (status >= 500 && retryAfterMs) return wait(retryAfterMs);
  if (status >= 500) return 'The service has a problem. Run this step again later.';
  return requestId === undefined ? '' : "Give the request's id to the service's support.";
}

/** The API text doesn't show the shape of `details`; fields are shown as they are. */
function describeFields({ code, details = {} }: Failure): string {
  if (code !== 'validation_failed') return '';
  const fields = Object.entries(details).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return fields.length === 0 ? '' : ` (${clip(fields.join('; '), MAX_DETAILS_LENGTH)})`;
}

function sentence(message: string): string {
  const trimmed = message.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
