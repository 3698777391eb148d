import {
  describeError,
  isOwnError,
  unconfirmedCreation,
  isParameterError,
  sentence,
  type ErrorDescription,
  type ErrorWords,
} from '@qr-service/core/connector';
import { isApiError, isQrServiceError, isTransportError, type QrServiceError } from '@qr-service/core';
import type { ZObject } from 'zapier-platform-core';
import { KEEP_API_KEY, LOOK_FIRST, throttledWords, ZAPIER_WORDS, type UnsafeRerun } from './errorWords.ts';

/** Seconds to ask Zapier to wait if the service doesn't say how long. */
const USUAL_DELAY_SECONDS = 60;
/**
 * Maximum wait to ask Zapier for, in seconds: if the service's response has a wrong unit, the Zap must not be held for
 * days.
 */
const LONGEST_DELAY_SECONDS = 3600;

/**
 * Statuses of requests that the service rejects before it looks for an earlier attempt, which may have been executed.
 */
const UNREAD_STATUSES: readonly number[] = [401, 403];

/** Formats an error as one text, without advice. */
export function errorTitle(error: unknown): string {
  return formatError({ ...describeError(error, ZAPIER_WORDS), description: '' }, error);
}

/**
 * Formats a described error as one text: what happened, what to do next, and finally what support needs. The code of a
 * failed connection, such as ECONNREFUSED, moves to the end.
 */
export function formatError({ message, description, reference }: ErrorDescription, error: unknown): string {
  const [title = '', code] = isTransportError(error) ? message.split(/ \(([A-Z\d_]+)\)$/) : [message];
  const last = code === undefined ? reference : `Error code: ${code}`;
  return [sentence(title), sentence(description), last].filter((part) => part !== '').join(' ');
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
  const mayBeCreated = isQrServiceError(error) && error.unconfirmedCode !== undefined;
  const unsafe = mayBeCreated ? unsafeIfCreated : 'none';
  if (isApiError(error)) {
    const isUnread = UNREAD_STATUSES.includes(error.status);
    if (unsafe === 'any') return lookFirst(z, error, error.status);
    // After reconnecting, possibly with another API key, Zapier would replay the run.
    if (unsafe !== 'none' && isUnread)
      return plainError(z, errorText(error, words, KEEP_API_KEY), error.code, error.status);
    if (isOwnError(error, 401)) return withoutBundle(new z.errors.ExpiredAuthError(errorText(error, words)));
    const delay = rerunDelay(error);
    if (delay !== undefined)
      return new z.errors.ThrottledError(errorText(error, throttledWords(words)), delay);
    return plainError(z, errorText(error, words), error.code, error.status);
  }
  // Both are thrown before anything is written.
  if (isParameterError(error) && error.isMissing)
    return withoutBundle(new z.errors.HaltedError(errorText(error, words)));
  if (isParameterError(error))
    return plainError(z, errorText(error, words), error.code, error.code === 'not_found' ? 404 : 422);
  if (isQrServiceError(error) && unsafe === 'any') return lookFirst(z, error);
  const delay = rerunDelay(error);
  if (delay !== undefined) return new z.errors.ThrottledError(errorText(error, throttledWords(words)), delay);
  if (isQrServiceError(error)) return plainError(z, errorText(error, words), error.code);
  const kind = error instanceof Error ? error.name : typeof error;
  return plainError(
    z,
    `Something went wrong in this step. ${ZAPIER_WORDS.otherwise} Error code: ${kind}`,
    'unexpected',
  );
}

/**
 * Seconds after which a rerun may succeed, if the service asked to wait or the run was out of time. Never less than the
 * service asks for, and spread over as much again: runs that were throttled together would meet again.
 */
export function rerunDelay(error: unknown): number | undefined {
  const seconds = leastDelay(error);
  if (seconds === undefined) return undefined;
  return Math.min(Math.floor(seconds * (1 + Math.random())), LONGEST_DELAY_SECONDS);
}

function leastDelay(error: unknown): number | undefined {
  if (isTransportError(error) && error.kind === 'deadline') return USUAL_DELAY_SECONDS;
  if (!isApiError(error)) return undefined;
  const { status, retryable, retryAfterMs } = error;
  if (retryAfterMs === undefined) return status === 429 ? USUAL_DELAY_SECONDS : undefined;
  return status === 429 || retryable ? Math.max(Math.ceil(retryAfterMs / 1000), 1) : undefined;
}

function lookFirst(z: ZObject, error: QrServiceError, status?: number): Error {
  const description = `${unconfirmedCreation(error)} ${LOOK_FIRST}`;
  const told = { ...describeError(error, ZAPIER_WORDS), description };
  return plainError(z, formatError(told, error), error.code, status);
}

/** The error's text, with additional advice, if any, before what support needs. */
function errorText(error: unknown, words: ErrorWords, advice = ''): string {
  const told = describeError(error, words);
  const description = advice === '' ? told.description : `${sentence(told.description)} ${advice}`.trim();
  return formatError({ ...told, description }, error);
}

/** Whether an error is one of Zapier's own, to which Zapier doesn't add the bundle. */
function isShownAsIs(error: unknown): error is Error {
  return error instanceof Error && 'doNotContextify' in error && error.doNotContextify === true;
}

function withoutBundle(error: Error): Error {
  return Object.assign(error, { doNotContextify: true });
}
