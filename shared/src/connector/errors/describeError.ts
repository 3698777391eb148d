import type { TransportFailure } from '../../errors/codes.ts';
import {
  describeApiError,
  FOREIGN,
  inWords,
  NEUTRAL_WORDS,
  WAIT,
  type ErrorWords,
} from '../../errors/describeApiError.ts';
import { isApiError, isQrServiceError, isRefusal, isTransportError } from '../../errors/guards.ts';
import { joined, sentence, showText, withoutPeriod, type ErrorDescription } from '../../errors/sentences.ts';
import { CONNECTION_INPUTS } from '../inputs/connection.ts';
import { isParameterError } from '../inputs/ParameterError.ts';

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
  target_not_allowed: `Correct the address, or have it added to ${CONNECTION_INPUTS.allowedTargets.label} in the {credential}.`,
};

/**
 * Describes any thrown value in a platform's words: what happened, as a title, and what to do next. Contains no API key
 * or signing secret.
 */
export function describeError(error: unknown, words: ErrorWords = NEUTRAL_WORDS): ErrorDescription {
  const { description, ...cause } = describeCause(error, words);
  const isChange = isQrServiceError(error) && error.isUnconfirmedChange === true;
  const change = isChange ? 'The change may have been made: open the short link to see.' : '';
  return { ...cause, description: joined([unconfirmedCreation(error), change, description]) };
}

/** The same, without what a failed write may have done. */
export function describeCause(error: unknown, words: ErrorWords): ErrorDescription {
  const told = isApiError(error) ? describeApiError(error, words) : describeOther(error, words);
  return {
    ...told,
    message: showText(told.message, MAX_TITLE_LENGTH - 1),
    description: joined([sentence(told.description), keyAdvice(error, words)]),
  };
}

function describeOther(error: unknown, words: ErrorWords): ErrorDescription {
  const { code, detail } = isQrServiceError(error) ? error : { code: '', detail: '' };
  const message = error instanceof Error ? error.message : 'Something went wrong';
  const usual = Object.hasOwn(ADVICE, code) ? ADVICE[code as keyof typeof ADVICE] : words.otherwise;
  // The detail of an invalid option says how to fix it.
  const known = code === 'invalid_input' ? '' : (words.advice?.get(code) ?? lostAdvice(error) ?? usual ?? '');
  return {
    message: withoutPeriod(message.slice(0, message.length - detail.length)),
    description: joined([detail, isParameterError(error) ? error.advice : inWords(known, words)]),
    reference: '',
  };
}

/** Advice for a lost response: if something responds at Base URL, it is rarely wrong. */
function lostAdvice(error: unknown): string | undefined {
  const isLost = isTransportError(error) && error.code === 'network' && !error.unsent;
  if (!isLost || error.message.startsWith(FOREIGN.meaning)) return undefined;
  return error.isUnconfirmed ? WAIT : `${WAIT} If it keeps failing, check Base URL in the {credential}.`;
}

/** Says which code may exist after a failed creation; empty if none does. */
export function unconfirmedCreation(error: unknown): string {
  if (!isQrServiceError(error) || error.unconfirmedCode === undefined) return '';
  return `A QR code named "${showText(error.unconfirmedCode)}" may have been created. It isn't published.`;
}

/** Under the same key, the service may only replay a refusal, or a code that was deleted. */
function keyAdvice(error: unknown, { hasDeduplicationKey = false }: ErrorWords): string {
  const isReplay = hasDeduplicationKey && isRefusal(error) && error.idempotencyKey !== undefined;
  if (isReplay) return 'If you have fixed the cause and it still fails, use another Deduplication Key.';
  if (!isQrServiceError(error) || error.code !== 'not_visible') return '';
  return `If you have deleted this code, use ${hasDeduplicationKey ? 'another Deduplication Key' : 'a different name and leave the code empty'}.`;
}
