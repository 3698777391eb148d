import { ERROR_CODES, isErrorCode, type ErrorCodeDefinition } from '../contract/errorCodes.ts';
import { operationOf, qrCodeIdOf } from '../contract/operations.ts';
import { inOrder, OPERATION_SCOPES } from '../contract/scopes.ts';
import { clip } from './clip.ts';
import { textList } from '../json/values.ts';
import {
  capitalized,
  isCode,
  isPresentable,
  joinReference,
  saysMore,
  sentence,
  withoutPeriod,
  type ErrorDescription,
  type ErrorReference,
} from './sentences.ts';

/** A platform's wording for the advice in errors. */
export interface ErrorWords {
  /** The platform's name for where users enter the API key and the base URL, for example `credential`. */
  credential: string;
  /** How to rerun what failed, as an imperative without a period, for example `run the node again`. */
  rerun: string;
  /**
   * A sentence that says where to find an API key's scopes.
   * @default none
   */
  scopes?: string;
  /**
   * Advice for an error without a known fix, in whole sentences.
   * @default none
   */
  otherwise?: string;
  /**
   * Remedies that replace the usual ones, by the error's code.
   * @default none
   */
  remedies?: ReadonlyMap<string, Remedy>;
  /**
   * Formats codes and IDs.
   * @default a list, for example `not_found, request req_1`
   */
  reference?: (reference: ErrorReference) => string;
  /**
   * Whether the user set a deduplication key, so that a conflict is about that key.
   * @default false
   */
  hasDeduplicationKey?: boolean;
}

/** Wording that fits any program. */
export const NEUTRAL_WORDS: ErrorWords = { credential: 'settings', rerun: 'retry' };

/** What to do about an error, before a platform's wording is applied. */
export interface Remedy {
  /** What to do first: whole sentences; may be empty. */
  fix: string | ((words: ErrorWords) => string);
  then?: 'rerun' | 'updateKey' | undefined;
  /** Replaces both if a different call comes next. */
  once?: string | undefined;
  /** A final sentence, in the platform's words. */
  note?: ((words: ErrorWords) => string) | undefined;
}

/** An error, explained: what happened and what to do. */
export interface Explanation {
  /** What happened, in one sentence without a period. */
  title: string;
  /** What else is known, in whole sentences. */
  facts: string[];
  remedy: Remedy;
  reference?: ErrorReference | undefined;
}

/** The fields of an error response that are needed to explain it. */
export interface Failure {
  status: number;
  code: string;
  /** The service's own message. */
  message: string;
  details?: Record<string, unknown> | undefined;
  requestId?: string | undefined;
  /** Milliseconds. */
  retryAfterMs?: number | undefined;
  /** What responded instead of the service. */
  intermediary?: string | undefined;
  /** HTTP method of the request. */
  method: string;
  /** Path below the API's base URL, without query. */
  path: string;
}

/** Maximum length of an ID in a title. */
const MAX_ID_LENGTH = 80;
/** Maximum length of a list of scopes. */
const MAX_SCOPES_LENGTH = 300;
/** Maximum length of the service's message in a description. */
const MAX_MESSAGE_LENGTH = 500;
/** Maximum length of its details. */
const MAX_DETAILS_LENGTH = 300;

/** Explains an error response: what it means and what to do about it. */
export function explainFailure(failure: Failure): Explanation {
  const { code, message } = failure;
  const reference: ErrorReference = failure;
  if (failure.intermediary !== undefined) return { ...explainForeign(failure), reference };
  if (code === 'insufficient_scope') return { ...explainScope(failure), reference };
  if (!isErrorCode(code)) return { ...explainUnknown(failure), reference };
  const definition: ErrorCodeDefinition = ERROR_CODES[code];
  const id = code === 'not_found' ? qrCodeIdOf(failure.path) : undefined;
  const title =
    id === undefined
      ? withoutPeriod(definition.meaning)
      : `No QR code with ID ${clip(id, MAX_ID_LENGTH)} was found`;
  const fix =
    id === undefined
      ? definition.advice
      : /\s/.test(id)
        ? 'Use the ID or the short link of a QR code, not its name.'
        : 'Use the ID or the short link of a QR code, not its name, and an API key of its workspace.';
  const remedy = remedyFor(failure, { fix, then: definition.then, once: definition.once });
  const isEmpty = message === statusMessage(failure.status) || isCode(message);
  const isKnown = id !== undefined || isEmpty || !saysMore(message, `${title} ${String(remedy.fix)}`);
  const said = isKnown ? [] : [sentence(clip(message, MAX_MESSAGE_LENGTH))];
  return { title, facts: [...said, ...detailsOf(failure)], remedy, reference };
}

/** An explanation in a platform's words. */
export function toDescription(
  { title, facts, remedy, reference }: Explanation,
  words: ErrorWords,
): ErrorDescription {
  const advice = adviceOf(remedy, words) || (words.otherwise ?? '');
  const description = [...facts, advice].filter((part) => part !== '').join(' ');
  return { message: title, description, reference: referenceText(reference, words) };
}

/** Codes and IDs in a platform's words; empty if there are none. */
export function referenceText(reference: ErrorReference | undefined, words: ErrorWords): string {
  return reference === undefined ? '' : (words.reference ?? joinReference)(reference);
}

/** What to do, in a platform's words. */
export function adviceOf({ fix, then, note }: Remedy, words: ErrorWords): string {
  const after = { rerun: words.rerun, updateKey: `update the ${words.credential}` };
  const first = typeof fix === 'string' ? fix : fix(words);
  const steps = then === undefined ? first : chained(first, after[then]);
  return [steps, note?.(words) ?? ''].filter((part) => part !== '').join(' ');
}

/** One step after another: `Wait a moment, then retry.` */
export function chained(first: string, next: string): string {
  return first === '' ? `${capitalized(next)}.` : `${withoutPeriod(first)}, then ${next}.`;
}

/** Title for a response that isn't the service's own, such as a proxy's page. */
export const FOREIGN_TITLE = "The response didn't come from the service";
/** Its likely cause. */
export const FOREIGN_FACT = 'A proxy, firewall or sign-in page may have responded instead';

/** Advice for when the base URL may be wrong. */
export function checkBaseUrl(otherwise: string): Remedy {
  return { fix: ({ credential }) => `Check Base URL in the ${credential}. If it is correct, ${otherwise}` };
}

const ASK_TO_ALLOW = 'ask whoever manages the proxy or firewall to allow requests to the service.';

const FOREIGN_REMEDIES: Record<number, Remedy> = {
  401: {
    fix: ({ credential }) =>
      `Check Base URL and the API key in the ${credential}. If both are correct, ${ASK_TO_ALLOW}`,
  },
  429: { fix: 'Wait a minute.', then: 'rerun' },
  407: {
    fix: "Add the proxy's user name and password to your proxy settings, or ask whoever manages your network.",
  },
  408: { fix: 'Wait a few minutes.', then: 'rerun' },
  413: { fix: 'The request is too large for it. Shorten the input.', then: 'rerun' },
};

function explainForeign(failure: Failure): Explanation {
  const { status, retryAfterMs, message } = failure;
  const isDown = status >= 500;
  const said = message === statusMessage(status) ? [] : [sentence(clip(message, MAX_MESSAGE_LENGTH))];
  const usual: Remedy = isDown ? { fix: 'Wait a few minutes.', then: 'rerun' } : checkBaseUrl(ASK_TO_ALLOW);
  const remedy = retryAfterMs
    ? { fix: `Wait ${duration(retryAfterMs)}.`, then: 'rerun' as const }
    : (FOREIGN_REMEDIES[status] ?? usual);
  const cause = isDown && !retryAfterMs ? ['It may not be able to reach the service.'] : [];
  return { title: FOREIGN_TITLE, facts: [`${FOREIGN_FACT}.`, ...said, ...cause], remedy };
}

function explainScope(failure: Failure): Explanation {
  const { details } = failure;
  const operation = operationOf(failure);
  const usual = operation && OPERATION_SCOPES[operation];
  const stated = scopesIn(details?.['required']);
  const required = stated.length === 0 && usual !== undefined ? [usual] : stated;
  const granted = textList(details?.['granted']);
  const named = scopeNames(required);
  const wanted = required.length === 0 ? 'the missing scope' : named;
  return {
    title: `The API key lacks ${required.length === 0 ? 'a scope' : named}`,
    facts: granted === undefined ? [] : [`It has ${granted.length === 0 ? 'no scopes' : listOf(granted)}.`],
    remedy: {
      fix: `Create an API key in the app with ${wanted} as well.`,
      then: 'updateKey',
      note: ({ scopes = '' }) => scopes,
    },
  };
}

/** The scope names in a list or a text. Anything else is dropped. */
function scopesIn(value: unknown): string[] {
  const texts = textList([value].flat()) ?? [];
  return texts.flatMap((names) => names.split(/[\s,]+/)).filter((name) => /^[\w:.*-]{1,60}$/.test(name));
}

function scopeNames(scopes: readonly string[]): string {
  return `the ${scopes.length > 1 ? 'scopes' : 'scope'} ${listOf(scopes)}`;
}

function listOf(names: readonly string[]): string {
  return clip(inOrder(names).join(', '), MAX_SCOPES_LENGTH);
}

/** Explains an error without a documented code. The service's own message becomes the title, if it is presentable. */
function explainUnknown(failure: Failure): Explanation {
  const { status, requestId } = failure;
  const message = clip(failure.message, MAX_MESSAGE_LENGTH).trim();
  const isDown = status >= 500;
  const note = () => (requestId === undefined ? '' : 'If you need help, give the request ID to support.');
  const usual = isDown ? { fix: 'Wait a few minutes.', then: 'rerun' as const } : { fix: '', note };
  const remedy = remedyFor(failure, usual);
  const [, first = message, rest = ''] = /^(.+?[.!?])\s+(\S.*)$/s.exec(message) ?? [];
  const hasId = requestId !== undefined && first.includes(requestId);
  if (message !== statusMessage(status) && isPresentable(first) && !hasId)
    return {
      title: capitalized(withoutPeriod(first)),
      facts: [...(rest === '' ? [] : [sentence(rest)]), ...detailsOf(failure)],
      remedy,
    };
  const title = isDown ? "The service can't process requests right now" : 'The service refused the request';
  const isSaid = message === '' || message === statusMessage(status) || isCode(message);
  return { title, facts: [...(isSaid ? [] : [sentence(message)]), ...detailsOf(failure)], remedy };
}

/** Message for an error response without one. */
export function statusMessage(status: number): string {
  return `The service responded with status ${status}.`;
}

/** The usual remedy, or the wait that the service asks for. */
function remedyFor({ status, retryAfterMs }: Failure, usual: Remedy): Remedy {
  if (!retryAfterMs || (status !== 429 && status < 500)) return usual;
  return { fix: `Wait ${duration(retryAfterMs)}.`, then: 'rerun' };
}

/** Formats a duration for people, rounded up: `90 seconds`, `58 minutes`, `3 hours`. */
export function duration(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  if (seconds <= 300) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return seconds <= 7200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`;
}

/** The service's details as a sentence; empty if there are none. Their shape isn't known (API text, "Errors", gaps). */
function detailsOf({ details }: Failure): string[] {
  const shown = clip(detailText(details ?? {}), MAX_DETAILS_LENGTH).trim();
  return shown === '' ? [] : [sentence(`Details: ${shown}`)];
}

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
