import { ALLOWED_TARGETS_LABEL } from '../client/AllowedTargets.ts';
import { isRefusal } from '../client/idempotencyKey.ts';
import { isApiError, type ApiError } from '../errors/ApiError.ts';
import {
  adviceOf,
  chained,
  checkBaseUrl,
  explainFailure,
  NEUTRAL_WORDS,
  referenceText,
  toDescription,
  type ErrorWords,
  type Explanation,
  type Remedy,
} from '../errors/explain.ts';
import type { TransportFailure } from '../errors/codes.ts';
import { isProvenAbsent } from '../errors/isProvenAbsent.ts';
import { isQrServiceError } from '../errors/QrServiceError.ts';
import {
  capitalized,
  MAX_TITLE_LENGTH,
  sentence,
  withoutPeriod,
  type ErrorDescription,
} from '../errors/sentences.ts';
import { isTransportError } from '../errors/TransportError.ts';
import { isParameterError } from './parameters/ParameterError.ts';
import { showText } from './parameters/showValue.ts';

/** Advice for a refusal that may be a replay under the user's own deduplication key. */
const REFUSED_KEY_ADVICE = 'If you have fixed the cause and it still fails, use another Deduplication Key.';

/** Maximum length of an ID in a title. */
const MAX_ID_LENGTH = 80;

const WAIT: Remedy = { fix: 'Wait a few minutes.', then: 'rerun' };

const TRANSPORT_REMEDIES: Record<TransportFailure, Remedy> = {
  timeout: WAIT,
  network: {
    fix: ({ credential }) => `Check Base URL in the ${credential} and that the service is up.`,
    then: 'rerun',
  },
  certificate: checkBaseUrl(
    'ask whoever manages your network or the server: its certificate may have expired, or a proxy may have replaced it.',
  ),
  aborted: { fix: '', then: 'rerun' },
  deadline: WAIT,
  too_large: {
    fix: ({ credential }) =>
      `Request fewer rows per page or a smaller image. If the response should be small, check Base URL in the ${credential}.`,
  },
  redirect: {
    fix: ({ credential }) =>
      `Check Base URL in the ${credential}: it must be the final URL of the API. If it is correct, a sign-in page of your network may be in the way.`,
  },
};

/**
 * Describes any thrown value in a platform's words: what happened, as a title, and what to do next. Contains no API key
 * or signing secret.
 * @example
 * ```ts
 * import { describeError, toWholeNumber } from '@qr-service/core/connector';
 *
 * try {
 *   toWholeNumber('many', { label: 'Limit', min: 1 });
 * } catch (error) {
 *   console.log(describeError(error).description); // Correct the value.
 * }
 * ```
 */
export function describeError(error: unknown, words: ErrorWords = NEUTRAL_WORDS): ErrorDescription {
  const explanation = explain(error, words);
  const facts = [unconfirmedCreation(error), ...explanation.facts].filter((fact) => fact !== '');
  const told = toDescription({ ...explanation, facts }, words);
  // The service may only replay the refusal, or a code that was deleted, under the user's own key.
  if (words.hasDeduplicationKey !== true || !(isKeyedRefusal(error) || isNotVisible(error))) return told;
  return { ...told, description: `${sentence(told.description)} ${REFUSED_KEY_ADVICE}`.trim() };
}

function isNotVisible(error: unknown): boolean {
  return isQrServiceError(error) && error.code === 'not_visible';
}

function isKeyedRefusal(error: unknown): boolean {
  return isRefusal(error) && error.idempotencyKey !== undefined;
}

/** Says which code may exist after a failed creation; empty if none does. */
export function unconfirmedCreation(error: unknown): string {
  if (!isQrServiceError(error) || error.unconfirmedCode === undefined) return '';
  return `A QR code named "${showText(error.unconfirmedCode)}" may have been created. It isn't published.`;
}

/** The same for a connection test, which doesn't request a record: a 404 means that the base URL is wrong. */
export function describeConnectionError(error: unknown, words: ErrorWords = NEUTRAL_WORDS): ErrorDescription {
  if (!isApiError(error) || error.status !== 404) return describeError(error, words);
  const explanation: Explanation = {
    title: "The server at Base URL isn't the service's API",
    facts: [],
    remedy: { fix: ({ credential }) => `Check Base URL in the ${credential}.` },
    reference: explain(error, words).reference,
  };
  return toDescription(explanation, words);
}

/** A platform's wording for a code that was created but not published. */
export interface NotPublishedWords extends ErrorWords {
  /**
   * How to publish it, as an imperative that is followed by an ID, for example `publish it with the Publish operation`.
   */
  publish: string;
  /**
   * A sentence that says which code exists.
   * @default 'The code exists as a draft.'
   */
  exists?: string;
  /** Whole sentences that say what not to rerun, and what can be rerun. */
  again: string;
}

/** The part of a `NotPublishedError` that is described. */
interface NotPublished {
  qrCode: { id: string };
  cause?: unknown;
  mayPointElsewhere?: boolean;
}

/**
 * The same for a code that was created but could not be published. Whatever the cause, the advice is to publish that
 * code, as creating it again would result in a duplicate.
 */
export function describeNotPublished(
  { qrCode, cause, mayPointElsewhere = false }: NotPublished,
  words: NotPublishedWords,
): ErrorDescription {
  const isMissing = isProvenAbsent(cause);
  const { title, facts, reference, ...explained } = explain(cause, words);
  const remedy = isMissing ? WAIT : explained.remedy;
  const first = mayPointElsewhere ? 'set its destination and ' : '';
  const publish = `${first}${words.publish} (ID ${showText(qrCode.id)})`;
  const short = notPublishedTitle(showText(qrCode.id, MAX_ID_LENGTH));
  const whole = `${short}: ${uncapitalized(title)}`;
  const isShort = whole.length <= MAX_TITLE_LENGTH;
  const parts = [
    ...(isShort ? [] : [`${capitalized(title)}.`]),
    ...facts,
    isMissing
      ? 'It may not be visible yet, or was deleted.'
      : (words.exists ?? 'The code exists as a draft.'),
    publishAfter(remedy, words, publish),
    words.again,
    remedy.note?.(words) ?? '',
  ];
  return {
    message: isShort ? whole : short,
    description: parts.filter((part) => part !== '').join(' '),
    reference: referenceText(reference, words),
  };
}

/** Title of the error for a code that was created but not published. */
export function notPublishedTitle(id: string): string {
  return `The QR code ${id} was created but not published`;
}

/** What to do about the cause, followed by publishing instead of rerunning. */
function publishAfter({ fix, then, once }: Remedy, words: ErrorWords, publish: string): string {
  if (once !== undefined) return `${once}, ${publish}.`;
  if (then === 'rerun') return chained(typeof fix === 'string' ? fix : fix(words), publish);
  const first = adviceOf({ fix, then }, words);
  return first === '' ? `${capitalized(publish)}.` : `${sentence(first)} Then ${publish}.`;
}

function uncapitalized(title: string): string {
  return /^(?:An?|Expected|It|No|The|This|Too|Unexpected) /.test(title)
    ? title.charAt(0).toLowerCase() + title.slice(1)
    : title;
}

/** What happened and what to do, before a platform's wording is applied. */
function explain(error: unknown, words: ErrorWords): Explanation {
  const explanation = explainAny(error, words);
  const own = isQrServiceError(error) ? words.remedies?.get(error.code) : undefined;
  return {
    ...explanation,
    remedy: own ?? explanation.remedy,
    title: showText(explanation.title, MAX_TITLE_LENGTH - 1),
  };
}

function explainAny(error: unknown, words: ErrorWords): Explanation {
  if (isApiError(error)) return explainApiError(error, words);
  if (!(error instanceof Error)) return { title: 'Something went wrong', facts: [], remedy: { fix: '' } };
  const detail = isQrServiceError(error) ? (error.detail ?? '') : '';
  const title = withoutPeriod(error.message.slice(0, error.message.length - detail.length));
  // The detail says how to fix it.
  if (isQrServiceError(error) && error.code === 'invalid_input' && !isParameterError(error))
    return { title, facts: [], remedy: { fix: detail } };
  const facts = detail === '' ? [] : [detail];
  return { title, facts, remedy: remedyOf(error) };
}

function remedyOf(error: Error): Remedy {
  if (isTransportError(error)) return TRANSPORT_REMEDIES[error.kind];
  if (isParameterError(error)) return { fix: error.advice };
  if (isQrServiceError(error) && error.code === 'unreadable_response')
    return checkBaseUrl('contact support.');
  if (isQrServiceError(error) && error.code === 'target_not_allowed')
    return {
      fix: ({ credential }) =>
        `Correct the address, or have it added to ${ALLOWED_TARGETS_LABEL} in the ${credential}.`,
    };
  return { fix: '' };
}

function explainApiError(error: ApiError, words: ErrorWords): Explanation {
  const { serviceMessage: message, details, requestId, retryAfterMs, intermediary } = error;
  const { status, code, method, path } = error;
  const failure = { status, code, message, details, requestId, retryAfterMs, intermediary, method, path };
  const usual = explainFailure(failure);
  if (intermediary !== undefined) return usual;
  if (code === 'idempotency_conflict')
    return words.hasDeduplicationKey === true
      ? { ...usual, title: 'The Deduplication Key was used before with different input', facts: [] }
      : {
          ...usual,
          title: 'The service mistook this request for an earlier one with different input',
          facts: [],
          remedy: { fix: 'If it keeps failing, contact support.' },
        };
  return usual;
}
