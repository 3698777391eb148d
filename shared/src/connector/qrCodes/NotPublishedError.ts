import type { QrCode } from '../../contract/types.ts';
import { inWords, WAIT, type ErrorWords } from '../../errors/describeApiError.ts';
import { isProvenAbsent, isQrServiceError, isTransportError } from '../../errors/guards.ts';
import { QrServiceError } from '../../errors/QrServiceError.ts';
import { joined, sentence, showText, type ErrorDescription } from '../../errors/sentences.ts';
import { describeCause, describeError } from '../errors/describeError.ts';
import { isParameterError } from '../inputs/ParameterError.ts';
import { describeCode } from './qrCode.ts';

/** A code that exists but could not be published, and why (`cause`). It contains the code: nobody has to create another. */
export class NotPublishedError extends QrServiceError {
  override readonly name = 'NotPublishedError';
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

/** The error for a draft that couldn't be published: its own if that was canceled, or if the code is archived. */
export function notPublished(draft: QrCode, error: unknown): unknown {
  const isCanceled = isTransportError(error) && error.code === 'aborted';
  const isOwn = isCanceled || isParameterError(error) || isNotPublishedError(error);
  return isOwn ? error : new NotPublishedError(draft, error);
}

/** A platform's words for a code that was created but not published. */
export interface NotPublishedWords extends Omit<ErrorWords, 'rerun'> {
  /** What happened to a code that isn't a draft, to complete "The QR code ID …". */
  problem?: string;
  /** How to publish it, or to finish otherwise, as an imperative without a period, for example `publish it with the Publish operation`. */
  publish: string;
  /** Whole sentences that say what not to rerun, and what can be rerun. */
  again: string;
}

/**
 * Describes a code that was created but not published: the advice is to publish it, not to repeat it. The code of the
 * user's own key may be an old one that was deleted since.
 */
export function describeNotPublished(
  { qrCode, cause }: Pick<NotPublishedError, 'qrCode' | 'cause'>,
  { problem, publish, again, hasDeduplicationKey = false, ...words }: NotPublishedWords,
): ErrorDescription {
  const told = describeCause(cause, { ...words, rerun: publish, otherwise: '' });
  if (hasDeduplicationKey && isProvenAbsent(cause))
    return {
      message: "The QR code of this Deduplication Key was deleted, or isn't visible yet",
      description: `If you deleted ${describeCode(qrCode)}, use another Deduplication Key: nothing was created. Otherwise, wait a few minutes, then ${publish}.`,
      reference: told.reference,
    };
  const advice = isProvenAbsent(cause)
    ? `It may not be visible yet, or was deleted. ${inWords(WAIT, { ...words, rerun: publish })}`
    : told.description;
  return {
    message: `${titleFor(qrCode, problem)}: ${told.message}`,
    description: joined([
      `The code exists${problem === undefined ? ' as a draft' : ''}: ${describeCode(qrCode)}.`,
      advice,
      advice.includes(publish) ? '' : `To finish, ${publish}.`,
      again,
    ]),
    reference: told.reference,
  };
}

function titleFor({ id }: QrCode, problem = 'was created but not published'): string {
  return `The QR code ${showText(id, 80)} ${problem}`;
}
