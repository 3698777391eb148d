import { isApiError, isQrServiceError, isTransportError, type QrServiceError } from '@qr-service/core';
import {
  describeError,
  describeNotPublished,
  errorText,
  isNotPublishedError,
  isOwnError,
  isParameterError,
  unconfirmedCreation,
  type ErrorWords,
  type NotPublishedError,
} from '@qr-service/core/connector';
import type { Bundle, ZObject } from 'zapier-platform-core';

const CONTACT_SUPPORT = 'If it keeps failing, contact support.';

/** How people run again what failed. */
const RERUN = {
  step: 'run this step again',
  /** A replay runs only what failed, for the same record. */
  creation: 'replay this run',
  subscription: 'turn the Zap on again',
  dropdown: 'reload the list',
  connectionTest: 'test the connection again',
};

type RunKind = keyof typeof RERUN;

/** Zapier's wording for errors. */
const ZAPIER_WORDS: ErrorWords = {
  credential: 'connection',
  rerun: RERUN.step,
  otherwise: CONTACT_SUPPORT,
  advice: new Map([
    [
      'ip_not_allowed',
      "Zapier calls from changing IP addresses. Remove the key's IP restriction in the app, or create a key without one and update the connection.",
    ],
    [
      'idempotency_conflict',
      'Another run used this Deduplication Key in the last 24 hours: an earlier version of this row, or a row with the same number in another Zap. Type a word for the sheet, then insert a column that never changes, for example menu-7: row numbers change when a sheet is sorted. If you corrected the input, use a new key.',
    ],
  ]),
};

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
export function withZapierErrors<Output>(perform: Perform<Output>, kind?: RunKind): Perform<Output> {
  return async (z, bundle) => {
    try {
      return await perform(z, bundle);
    } catch (error) {
      throw toZapierError(z, error, { kind });
    }
  };
}

/** What failed: by default, a step that creates no code. */
interface FailedRun {
  kind?: RunKind | undefined;
  isKeyed?: boolean;
  /** Whether running the step again may duplicate a code that this run has created, or may have. */
  mayDuplicate?: boolean;
}

/**
 * Converts any thrown value to one of Zapier's errors, which decides whether Zapier runs the step again, asks people to
 * reconnect or halts the Zap. The result never contains the bundle, the API key or a signing secret.
 */
export function toZapierError(
  z: ZObject,
  error: unknown,
  { kind = 'step', isKeyed = false, mayDuplicate = false }: FailedRun = {},
): Error {
  if (isShownAsIs(error)) return error;
  // The text of any other error could contain the bundle.
  if (!isQrServiceError(error)) {
    const name = error instanceof Error ? error.name : typeof error;
    return plainError(z, `Something went wrong in this step. ${CONTACT_SUPPORT} (${name})`, 'unexpected');
  }
  const words = { ...ZAPIER_WORDS, rerun: RERUN[kind], hasDeduplicationKey: isKeyed };
  const status = isApiError(error) ? error.status : undefined;
  const mayExist = isNotPublishedError(error) || error.unconfirmedCode !== undefined;
  if (mayExist && mayDuplicate) return plainError(z, finalText(error, words), error.code, status);
  const delay = rerunDelay(error);
  if (delay !== undefined) return new z.errors.ThrottledError(throttledText(error, words, kind), delay);
  const text = usualText(error, words);
  // While people connect, it is too early to ask them to reconnect.
  if (isOwnError(error, 401) && kind !== 'connectionTest')
    return withoutBundle(new z.errors.ExpiredAuthError(text));
  // A blank cell: nothing was written. Halted runs never turn the Zap off.
  if (isParameterError(error) && error.isMissing) return withoutBundle(new z.errors.HaltedError(text));
  return plainError(z, text, error.code, status);
}

/** For a run that shouldn't be repeated. */
function finalText(error: QrServiceError, words: ErrorWords): string {
  if (isNotPublishedError(error)) return errorText(notPublished(error, words, NO_REPLAY));
  const advice = words.hasDeduplicationKey === true ? LOOK_FIRST : `${LOOK_FIRST} ${SET_KEY}`;
  const description = `${unconfirmedCreation(error)} ${advice}`;
  return errorText({ ...describeError(error, words), description });
}

/** For a run that Zapier repeats, unless it was for the editor or for the connection. */
function throttledText(error: QrServiceError, words: ErrorWords, kind: RunKind): string {
  if (isNotPublishedError(error))
    return errorText({ ...notPublished(error, words, ''), description: PUBLISHED_BY_ZAPIER });
  const isRepeated = kind === 'step' || kind === 'creation';
  return errorText(describeError(error, isRepeated ? { ...words, rerun: RERUN_BY_ZAPIER } : words));
}

/** For a run that people may repeat. */
function usualText(error: QrServiceError, words: ErrorWords): string {
  if (!isNotPublishedError(error)) return errorText(describeError(error, words));
  // After a 404, it may be deleted.
  return errorText(notPublished(error, words, isOwnError(error.cause, 404, 410) ? '' : SAFE_REPLAY));
}

function notPublished(error: NotPublishedError, words: ErrorWords, again: string) {
  const publish = 'publish it with the Publish QR Code step';
  return describeNotPublished(error, { ...words, publish, again });
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
