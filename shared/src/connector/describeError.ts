import { ALLOWED_TARGETS_LABEL } from '../client/AllowedTargets.ts';
import { isRefusal } from '../client/idempotencyKey.ts';
import type { QrCode } from '../contract/types.ts';
import type { TransportFailure } from '../errors/codes.ts';
import {
  describeApiError,
  inWords,
  NEUTRAL_WORDS,
  WAIT,
  type ErrorWords,
} from '../errors/describeApiError.ts';
import { isApiError, isProvenAbsent, isQrServiceError, isTransportError } from '../errors/guards.ts';
import { QrServiceError } from '../errors/QrServiceError.ts';
import { joined, sentence, showText, withoutPeriod, type ErrorDescription } from '../errors/sentences.ts';
import { describeCode } from './code.ts';
import { isParameterError } from './parameters/ParameterError.ts';

/** Maximum length of a title. */
const MAX_TITLE_LENGTH = 150;

/** What to do about errors that aren't responses, by their code: a platform's words replace those in braces. */
const ADVICE: Record<TransportFailure | 'unreadable_response' | 'target_not_allowed', string> = {
  timeout: WAIT,
  deadline: WAIT,
  network: 'Check Base URL in the {credential} and that the service is up, then {rerun}.',
  certificate:
    'Check Base URL in the {credential}. If it is correct, ask whoever manages your network or the server: its certificate may have expired, or a proxy may have replaced it.',
  aborted: 'To continue, {rerun}.',
  redirect:
    'Check Base URL in the {credential}: it must be the final URL of the API. If it is correct, a sign-in page of your network may be in the way.',
  unreadable_response: 'Check Base URL in the {credential}. If it is correct, contact support.',
  target_not_allowed: `Correct the address, or have it added to ${ALLOWED_TARGETS_LABEL} in the {credential}.`,
};

/**
 * Describes any thrown value in a platform's words: what happened, as a title, and what to do next. Contains no API key
 * or signing secret.
 */
export function describeError(error: unknown, words: ErrorWords = NEUTRAL_WORDS): ErrorDescription {
  const { message, description, reference } = isApiError(error)
    ? describeApiError(error, words)
    : describeOther(error, words);
  return {
    message: showText(message, MAX_TITLE_LENGTH - 1),
    description: joined([unconfirmedCreation(error), sentence(description), keyAdvice(error, words)]),
    reference,
  };
}

function describeOther(error: unknown, words: ErrorWords): ErrorDescription {
  const { code, detail } = isQrServiceError(error) ? error : { code: '', detail: '' };
  const message = error instanceof Error ? error.message : 'Something went wrong';
  const usual = Object.hasOwn(ADVICE, code) ? ADVICE[code as keyof typeof ADVICE] : words.otherwise;
  // The detail of an invalid option says how to fix it.
  const known = code === 'invalid_input' ? '' : (words.advice?.get(code) ?? usual ?? '');
  return {
    message: withoutPeriod(message.slice(0, message.length - detail.length)),
    description: joined([detail, isParameterError(error) ? error.advice : inWords(known, words)]),
    reference: '',
  };
}

/** Says which code may exist after a failed creation; empty if none does. */
export function unconfirmedCreation(error: unknown): string {
  if (!isQrServiceError(error) || error.unconfirmedCode === undefined) return '';
  return `A QR code named "${showText(error.unconfirmedCode)}" may have been created. It isn't published.`;
}

/** Under the user's own key, the service may only replay a refusal, or a code that was deleted. */
function keyAdvice(error: unknown, { hasDeduplicationKey = false }: ErrorWords): string {
  if (!hasDeduplicationKey || !isQrServiceError(error)) return '';
  const isReplay = error.code === 'not_visible' || (isRefusal(error) && error.idempotencyKey !== undefined);
  return isReplay ? 'If you have fixed the cause and it still fails, use another Deduplication Key.' : '';
}

/** Maximum length of an ID in a title. */
const MAX_ID_LENGTH = 80;

/** A code that exists but could not be published, and why (`cause`). It contains the code: nobody has to create another. */
export class NotPublishedError extends QrServiceError {
  override readonly name = 'NotPublishedError';
  /** The code as it was before. */
  readonly qrCode: QrCode;

  constructor(qrCode: QrCode, cause: unknown) {
    const { message } = describeError(cause);
    super(`${titleFor(qrCode)}.`, { code: 'not_published', cause, detail: sentence(message) });
    this.qrCode = qrCode;
  }
}

/** Whether a thrown value is a `NotPublishedError`, from this copy of the core or another. */
export function isNotPublishedError(error: unknown): error is NotPublishedError {
  return isQrServiceError(error) && error.name === 'NotPublishedError';
}

/**
 * The error for a draft that couldn't be published. If that was canceled, or if the code is archived, its own error:
 * publishing doesn't restore it.
 */
export function notPublished(draft: QrCode, error: unknown): unknown {
  const isCanceled = isTransportError(error) && error.kind === 'aborted';
  const isOwn = isCanceled || isParameterError(error) || isNotPublishedError(error);
  return isOwn ? error : new NotPublishedError(draft, error);
}

/** A platform's wording for a code that was created but not published. */
export interface NotPublishedWords extends Omit<ErrorWords, 'rerun'> {
  /** How to publish it, as an imperative without a period, for example `publish it with the Publish operation`. */
  publish: string;
  /** Whole sentences that say what not to rerun, and what can be rerun. */
  again: string;
}

/**
 * Describes a code that was created but could not be published. Whatever the cause, the advice is to publish that code, as
 * creating it again would result in a duplicate.
 */
export function describeNotPublished(
  { qrCode, cause }: Pick<NotPublishedError, 'qrCode' | 'cause'>,
  { publish, again, ...words }: NotPublishedWords,
): ErrorDescription {
  const told = describeError(cause, { ...words, rerun: publish, otherwise: '' });
  const advice = isProvenAbsent(cause)
    ? `It may not be visible yet, or was deleted. ${inWords(WAIT, { ...words, rerun: publish })}`
    : told.description;
  return {
    message: `${titleFor(qrCode)}: ${told.message}`,
    description: joined([
      `The code exists as a draft: ${describeCode(qrCode)}.`,
      advice,
      advice.includes(publish) ? '' : `To finish, ${publish}.`,
      again,
    ]),
    reference: told.reference,
  };
}

function titleFor({ id }: QrCode): string {
  return `The QR code ${showText(id, MAX_ID_LENGTH)} was created but not published`;
}
