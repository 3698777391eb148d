import {
  describeError,
  describeNotPublished,
  errorText,
  isNotPublishedError,
  isOwnError,
  isParameterError,
  unconfirmedCreation,
  type ErrorWords,
} from '@qr-service/core/connector';
import { isApiError, isQrServiceError, isTransportError, type QrServiceError } from '@qr-service/core';
import type { Bundle, ZObject } from 'zapier-platform-core';

const CONTACT_SUPPORT = 'If it keeps failing, contact support.';

/** Zapier's wording for errors. */
const ZAPIER_WORDS: ErrorWords = {
  credential: 'connection',
  rerun: 'run this step again',
  otherwise: CONTACT_SUPPORT,
  advice: new Map([
    [
      'ip_not_allowed',
      "Zapier's IP addresses aren't yours, and they change. Remove the key's IP restriction in the app, or create a key without one and update the connection.",
    ],
    [
      'idempotency_conflict',
      'Another run used this Deduplication Key in the last 24 hours: an earlier version of this row, or a row with the same number in another Zap. Make the key unique for the sheet, for example menu-{{row}}. If you corrected the input, use a new key.',
    ],
  ]),
};

const wordsFor = (rerun: string): ErrorWords => ({ ...ZAPIER_WORDS, rerun });
/** For steps that create a code: a replay runs only what failed, for the same record. */
export const CREATE_WORDS = wordsFor('replay this run');
export const SUBSCRIBE_WORDS = wordsFor('turn the Zap on again');
export const DROPDOWN_WORDS = wordsFor('reload the list');
export const CONNECTION_TEST_WORDS = wordsFor('test the connection again');

/** For a run that Zapier repeats by itself: one that people replay as well could create a duplicate. */
const RERUN_BY_ZAPIER = 'test again. Zapier runs a live Zap again by itself';
/** The same for one that has created a code. */
const PUBLISHED_BY_ZAPIER =
  'In a live Zap, there is nothing to do: Zapier runs the step again and publishes the code.';
const LOOK_FIRST = 'Look for it in the app before you replay this run.';
const SET_KEY = 'Set a Deduplication Key so that later runs are safe to replay.';
const NO_REPLAY = "Don't replay this run: it could create a duplicate, or return the draft as it is.";
const SAFE_REPLAY = 'Replaying this run within 24 hours is safe too: it publishes this code.';

/** Seconds to ask Zapier to wait if the service doesn't say how long. */
const USUAL_DELAY_SECONDS = 60;
/** Maximum wait to ask Zapier for, without the jitter: the service's response may have a wrong unit. */
const LONGEST_DELAY_SECONDS = 3600;

/** A function that Zapier calls with its tools (`z`) and the data of the run (`bundle`). */
type Perform<Output> = (z: ZObject, bundle: Bundle) => Promise<Output>;

/**
 * Wraps a function so that it throws only errors that Zapier shows as they are. To the text and the log of any other
 * error, Zapier adds the whole bundle, including the signing secret.
 */
export function withZapierErrors<Output>(perform: Perform<Output>, words?: ErrorWords): Perform<Output> {
  return async (z, bundle) => {
    try {
      return await perform(z, bundle);
    } catch (error) {
      throw toZapierError(z, error, words);
    }
  };
}

/**
 * Converts any thrown value to one of Zapier's errors. The result never contains the bundle, the API key or a signing
 * secret.
 * @param mayDuplicate whether running the step again may duplicate a code that this run has created, or may have
 *
 * | Thrown | Becomes | So Zapier |
 * |---|---|---|
 * | a failure after which a new run could create a duplicate | Error | doesn't run the step again |
 * | a 429, a failure that says how long to wait, a run out of time | ThrottledError | runs the step again later |
 * | the service's own 401 | ExpiredAuthError | asks the user to reconnect |
 * | an empty parameter, such as a blank cell | HaltedError | halts the run; such runs never turn the Zap off |
 * | any other error of the core | Error | fails the step with the text |
 * | anything else | Error without the thrown text | fails the step; the text could contain the bundle |
 */
export function toZapierError(
  z: ZObject,
  error: unknown,
  words: ErrorWords = ZAPIER_WORDS,
  mayDuplicate = false,
): Error {
  if (isShownAsIs(error)) return error;
  if (!isQrServiceError(error)) {
    const kind = error instanceof Error ? error.name : typeof error;
    return plainError(z, `Something went wrong in this step. ${CONTACT_SUPPORT} (${kind})`, 'unexpected');
  }
  const mayExist = isNotPublishedError(error) || error.unconfirmedCode !== undefined;
  const isFinal = mayExist && mayDuplicate;
  const delay = isFinal ? undefined : rerunDelay(error);
  const text = textOf(error, words, isFinal ? 'final' : delay === undefined ? 'by people' : 'by Zapier');
  if (delay !== undefined) return new z.errors.ThrottledError(text, delay);
  if (!isFinal && isOwnError(error, 401)) return withoutBundle(new z.errors.ExpiredAuthError(text));
  // Nothing was written.
  if (isParameterError(error) && error.isMissing) return withoutBundle(new z.errors.HaltedError(text));
  return plainError(z, text, error.code, isApiError(error) ? error.status : undefined);
}

function textOf(
  error: QrServiceError,
  words: ErrorWords,
  rerun: 'final' | 'by people' | 'by Zapier',
): string {
  if (isNotPublishedError(error)) {
    const publish = 'publish it with the Publish QR Code step';
    const again = rerun === 'final' ? NO_REPLAY : SAFE_REPLAY;
    const told = describeNotPublished(error, { ...words, publish, again });
    return errorText(rerun === 'by Zapier' ? { ...told, description: PUBLISHED_BY_ZAPIER } : told);
  }
  const isRun = [ZAPIER_WORDS.rerun, CREATE_WORDS.rerun].includes(words.rerun);
  const inWords = rerun === 'by Zapier' && isRun ? { ...words, rerun: RERUN_BY_ZAPIER } : words;
  const told = describeError(error, inWords);
  if (rerun !== 'final') return errorText(told);
  const advice = words.hasDeduplicationKey === true ? LOOK_FIRST : `${LOOK_FIRST} ${SET_KEY}`;
  return errorText({ ...told, description: `${unconfirmedCreation(error)} ${advice}` });
}

/** An error as one text, without advice. */
export function errorTitle(error: unknown): string {
  return errorText({ ...describeError(error, ZAPIER_WORDS), description: '' });
}

/** Creates an error that fails the step and shows its text, without asking people to reconnect. */
export function plainError(z: ZObject, text: string, code?: string, status?: number): Error {
  return new z.errors.Error(text, code, status);
}

/**
 * Seconds after which a rerun may succeed, if the service asked to wait or the run was out of time. Not less than the
 * service asks for, up to an hour, and spread over as much again: runs that were throttled together would meet again.
 */
export function rerunDelay(error: unknown): number | undefined {
  const seconds = leastDelay(isNotPublishedError(error) ? error.cause : error);
  return seconds && Math.floor(Math.min(seconds, LONGEST_DELAY_SECONDS) * (1 + Math.random()));
}

function leastDelay(error: unknown): number | undefined {
  if (isTransportError(error) && error.code === 'deadline') return USUAL_DELAY_SECONDS;
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
