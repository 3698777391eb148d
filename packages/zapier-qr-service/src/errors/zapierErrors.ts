import {
  describeError,
  errorText,
  isOwnError,
  isParameterError,
  sentence,
  unconfirmedCreation,
  type ErrorWords,
} from '@qr-service/core/connector';
import { isApiError, isQrServiceError, isTransportError, type QrServiceError } from '@qr-service/core';
import type { ZObject } from 'zapier-platform-core';
import {
  BEFORE_RERUN,
  CONTACT_SUPPORT,
  KEEP_API_KEY,
  throttledWords,
  ZAPIER_WORDS,
  type UnsafeRerun,
} from './errorWords.ts';

/** Seconds to ask Zapier to wait if the service doesn't say how long. */
const USUAL_DELAY_SECONDS = 60;
/**
 * Maximum wait to ask Zapier for, in seconds, without the jitter: if the service's response has a wrong unit, the Zap must
 * not be held for days.
 */
const LONGEST_DELAY_SECONDS = 3600;

/** Statuses of requests that the service rejects before it looks for an earlier attempt, which may have been executed. */
const UNREAD_STATUSES: readonly (number | undefined)[] = [401, 403];

/** An error as one text, without advice. */
export function errorTitle(error: unknown): string {
  return errorText({ ...describeError(error, ZAPIER_WORDS), description: '' });
}

/** Creates an error that fails the step and shows its text, without asking people to reconnect. */
export function plainError(z: ZObject, text: string, code?: string, status?: number): Error {
  return new z.errors.Error(text, code, status);
}

/**
 * Converts any thrown value to one of Zapier's errors. The result never contains the bundle, the API key or a signing
 * secret.
 * @param unsafeIfCreated which reruns may duplicate a code that may have been created
 *
 * | Thrown | Becomes | So Zapier |
 * |---|---|---|
 * | the service's own 401 | ExpiredAuthError | asks the user to reconnect |
 * | a failure after which a new run could create a duplicate | Error | doesn't run the step again |
 * | a 429, a failure that says how long to wait, a run out of time | ThrottledError | runs the step again later |
 * | an empty parameter, such as a blank cell | HaltedError | halts the run; such runs never turn the Zap off |
 * | an invalid parameter | Error | fails the step with the text; nothing was written |
 * | any other failure of the service or the network | Error | fails the step with the text |
 * | anything else | Error without the thrown text | fails the step; the text could contain the bundle |
 */
export function toZapierError(
  z: ZObject,
  error: unknown,
  words: ErrorWords = ZAPIER_WORDS,
  unsafeIfCreated: UnsafeRerun = 'none',
): Error {
  if (isShownAsIs(error)) return error;
  if (!isQrServiceError(error)) {
    const kind = error instanceof Error ? error.name : typeof error;
    return plainError(z, `Something went wrong in this step. ${CONTACT_SUPPORT} (${kind})`, 'unexpected');
  }
  const { code } = error;
  const status = statusOf(error);
  const unsafe = error.unconfirmedCode === undefined ? 'none' : unsafeIfCreated;
  const lookFirst = BEFORE_RERUN[unsafe];
  if (lookFirst !== undefined) {
    const description = `${unconfirmedCreation(error)} ${lookFirst}`;
    return plainError(z, errorText({ ...describeError(error, words), description }), code, status);
  }
  // After reconnecting, possibly with another API key, Zapier would replay the run.
  if (unsafe !== 'none' && UNREAD_STATUSES.includes(status)) {
    const told = describeError(error, words);
    const description = `${sentence(told.description)} ${KEEP_API_KEY}`;
    return plainError(z, errorText({ ...told, description }), code, status);
  }
  const text = errorText(describeError(error, words));
  if (isOwnError(error, 401)) return withoutBundle(new z.errors.ExpiredAuthError(text));
  // Nothing was written.
  if (isParameterError(error) && error.isMissing) return withoutBundle(new z.errors.HaltedError(text));
  const delay = rerunDelay(error);
  if (delay === undefined) return plainError(z, text, code, status);
  return new z.errors.ThrottledError(errorText(describeError(error, throttledWords(words))), delay);
}

function statusOf(error: QrServiceError): number | undefined {
  if (isParameterError(error)) return error.code === 'not_found' ? 404 : 422;
  return isApiError(error) ? error.status : undefined;
}

/**
 * Seconds after which a rerun may succeed, if the service asked to wait or the run was out of time. Not less than the
 * service asks for, up to an hour, and spread over as much again: runs that were throttled together would meet again.
 */
export function rerunDelay(error: unknown): number | undefined {
  const seconds = leastDelay(error);
  if (seconds === undefined) return undefined;
  return Math.floor(Math.min(seconds, LONGEST_DELAY_SECONDS) * (1 + Math.random()));
}

function leastDelay(error: unknown): number | undefined {
  if (isTransportError(error) && error.kind === 'deadline') return USUAL_DELAY_SECONDS;
  if (!isApiError(error)) return undefined;
  const { status, retryable, retryAfterMs } = error;
  if (retryAfterMs === undefined) return status === 429 ? USUAL_DELAY_SECONDS : undefined;
  return status === 429 || retryable ? Math.max(Math.ceil(retryAfterMs / 1000), 1) : undefined;
}

/** Whether an error is one of Zapier's own, to which Zapier doesn't add the bundle. */
function isShownAsIs(error: unknown): error is Error {
  return error instanceof Error && 'doNotContextify' in error && error.doNotContextify === true;
}

function withoutBundle(error: Error): Error {
  return Object.assign(error, { doNotContextify: true });
}
