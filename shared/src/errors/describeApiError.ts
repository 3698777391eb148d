import { ERROR_CODES, isErrorCode, type Explanation } from '../contract/errorCodes.ts';
import { textList } from '../json/json.ts';
import type { ApiError } from './ApiError.ts';
import type { QrServiceError } from './QrServiceError.ts';
import { duration, joined, sentence, showText, withoutPeriod, type ErrorDescription } from './sentences.ts';

/** A platform's wording for the advice in errors. */
export interface ErrorWords {
  /** The platform's name for where users enter the API key and the base URL, for example `credential`. */
  credential: string;
  /** How to rerun what failed, as an imperative without a period, for example `run the node again`. */
  rerun: string;
  /** A sentence that says where to find an API key's scopes. */
  scopes?: string;
  /** Advice for an error without a known fix, in whole sentences. */
  otherwise?: string;
  /** Advice that replaces the usual one, by the error's code, in whole sentences. */
  advice?: ReadonlyMap<string, string>;
  /** Whether the user set a deduplication key, so that another one may help. */
  hasDeduplicationKey?: boolean;
}

/** Wording that fits any program. */
export const NEUTRAL_WORDS: ErrorWords = { credential: 'settings', rerun: 'retry' };

/** Advice for what may pass. */
export const WAIT = 'Wait a few minutes, then {rerun}.';

/** Advice for a code that isn't found. */
export const NO_CODE = 'It may be deleted or in another workspace. Use its ID or short link, not its name.';

/** Advice in a platform's words: they replace `{credential}` and `{rerun}`. */
export function inWords(advice: string, { credential, rerun }: ErrorWords): string {
  return advice.replaceAll('{credential}', credential).replaceAll('{rerun}', rerun);
}

/** The own properties of an error response. */
export type Failure = Omit<ApiError, keyof QrServiceError> & Pick<ApiError, 'code'>;

/** A response that isn't the service's own, such as a proxy's page. */
export const FOREIGN = {
  meaning: "The response didn't come from the service.",
  fact: 'A proxy, firewall or sign-in page may have responded instead.',
  advice:
    'Check Base URL in the {credential}. If it is correct, ask whoever manages the proxy or firewall to allow requests to the service.',
} as const satisfies Explanation;

/** For codes that aren't documented (docs/api.md#errors). */
const UNKNOWN: Explanation = {
  meaning: 'The service refused the request.',
  advice: 'Correct the cause, then {rerun}. If it keeps failing, contact support.',
};
/** For a key that the user has set. */
const KEY_CONFLICT: Explanation = {
  meaning: 'This Deduplication Key was used before with different input.',
  advice: 'Use a new one for different input.',
};
const UNAVAILABLE: Explanation = { meaning: "The service can't process requests right now.", advice: WAIT };

/** Maximum length of an ID or a list of scopes in a title, and of each part of a reference. */
const MAX_ID_LENGTH = 80;
/** Maximum length of the service's message in a description. */
const MAX_MESSAGE_LENGTH = 500;
/** Maximum length of its details. */
const MAX_DETAILS_LENGTH = 300;

/** Describes an error response in a platform's words: what happened, what the service says, and what to do. */
export function describeApiError(failure: Failure, words: ErrorWords): ErrorDescription {
  const { status, code, details = {}, requestId, intermediary, retryable, retryAfterMs = 0 } = failure;
  const { meaning, fact = '', advice } = explain(failure, words);
  const message = sentence(showText(failure.serviceMessage, MAX_MESSAGE_LENGTH));
  const told = `${meaning} ${isErrorCode(code) ? ERROR_CODES[code].meaning : ''}`.toLowerCase();
  const untold = code === 'insufficient_scope' ? { ...details, required: [] } : details;
  const shownDetails = showText(detailText(untold), MAX_DETAILS_LENGTH).trim();
  const wait = retryable && retryAfterMs > 0 ? `Wait ${duration(retryAfterMs)}, then {rerun}.` : undefined;
  const request = requestId === undefined ? undefined : `request ${requestId}`;
  return {
    message: withoutPeriod(meaning),
    description: joined([
      fact,
      told.includes(withoutPeriod(message).toLowerCase()) ? '' : message,
      shownDetails === '' ? '' : sentence(`Details: ${shownDetails}`),
      inWords(wait ?? words.advice?.get(code) ?? advice, words),
    ]),
    reference: [code === `http_${status}` ? `status ${status}` : code, intermediary, request]
      .flatMap((part) => (part === undefined ? [] : showText(part, MAX_ID_LENGTH)))
      .join(', '),
  };
}

function explain(failure: Failure, { scopes = '', hasDeduplicationKey = false }: ErrorWords): Explanation {
  const { status, code, path, details, intermediary, retryable } = failure;
  if (intermediary !== undefined) return retryable ? { ...FOREIGN, advice: WAIT } : FOREIGN;
  const id = /^\/qr\/([^/]+)/.exec(path)?.[1];
  if (code === 'not_found' && id !== undefined) {
    const shown = showText(decodeURIComponent(id), MAX_ID_LENGTH);
    return { meaning: `No QR code with ID ${shown} was found.`, advice: NO_CODE };
  }
  const required = textList([details?.['required']].flat()) ?? [];
  if (code === 'insufficient_scope' && required.length > 0) {
    const named = `the scope${required.length === 1 ? '' : 's'} ${showText(required.join(', '), MAX_ID_LENGTH)}`;
    const advice = `Create an API key in the app with ${named} as well, then update the {credential}.`;
    return { meaning: `The API key lacks ${named}.`, advice: joined([advice, scopes]) };
  }
  if (code === 'idempotency_conflict' && hasDeduplicationKey) return KEY_CONFLICT;
  if (isErrorCode(code)) return ERROR_CODES[code];
  return status >= 500 ? UNAVAILABLE : UNKNOWN;
}

/** Any details as text: `fields: url: must be https`. Their shape isn't known (docs/api.md#errors). */
function detailText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return JSON.stringify(value);
  const isList = Array.isArray(value);
  const parts = Object.entries(value ?? {}).map(([key, inside]) => {
    const shown = detailText(inside);
    return shown === '' || isList ? shown : `${key}: ${shown}`;
  });
  return parts.filter((part) => part !== '').join(isList ? '; ' : ', ');
}
