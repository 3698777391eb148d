import { ERROR_CODES, isErrorCode } from '../contract/errorCodes.ts';
import { operationOf, qrCodeIdOf } from '../contract/operations.ts';
import { inOrder, OPERATION_SCOPES } from '../contract/scopes.ts';
import { textList } from '../json/json.ts';
import { clip, joined, sentence, withoutPeriod, type ErrorDescription } from './sentences.ts';

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
   * Advice that replaces the usual one, by the error's code, in whole sentences.
   * @default none
   */
  advice?: ReadonlyMap<string, string>;
  /**
   * Whether the user set a deduplication key, so that a conflict is about that key.
   * @default false
   */
  hasDeduplicationKey?: boolean;
}

/** Wording that fits any program. */
export const NEUTRAL_WORDS: ErrorWords = { credential: 'settings', rerun: 'retry' };

/** Advice for what may pass. */
export const WAIT = 'Wait a few minutes, then {rerun}.';

/** Advice in a platform's words: they replace `{credential}` and `{rerun}`. */
export function inWords(advice: string, { credential, rerun }: ErrorWords): string {
  return advice.replaceAll('{credential}', credential).replaceAll('{rerun}', rerun);
}

/** The fields of an error response that are needed to explain it. */
interface Failure {
  status: number;
  code: string;
  /** The service's own message. */
  serviceMessage: string;
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

/** What an error response means. */
interface Explanation {
  /** What happened, in one sentence without a period. */
  title: string;
  /** What else is known, in whole sentences. */
  facts: string[];
  /** What to do, with `{credential}` and `{rerun}`. */
  advice: string;
}

/** Describes an error response in a platform's words: what happened, what the service says, and what to do. */
export function describeFailure(failure: Failure, words: ErrorWords): ErrorDescription {
  const { status, code, retryAfterMs } = failure;
  const { title, facts, advice } = explain(failure, words);
  const wait = retryAfterMs && mayPass(status) ? `Wait ${duration(retryAfterMs)}, then {rerun}.` : undefined;
  return {
    message: title,
    description: joined([...facts, inWords(wait ?? words.advice?.get(code) ?? advice, words)]),
    reference: referenceOf(failure),
  };
}

function mayPass(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

/** For an error of the service that the API text doesn't name (API text, "Errors", gaps). */
const UNKNOWN = {
  meaning: 'The service refused the request.',
  advice: 'Correct the cause, then {rerun}. If it keeps failing, contact support.',
};
const UNAVAILABLE = { meaning: "The service can't process requests right now.", advice: WAIT };

function explain(failure: Failure, words: ErrorWords): Explanation {
  const { status, code, intermediary } = failure;
  if (intermediary !== undefined) return explainForeign(failure);
  if (code === 'insufficient_scope') return explainScope(failure, words);
  const id = code === 'not_found' ? qrCodeIdOf(failure.path) : undefined;
  if (id !== undefined) return explainMissing(id);
  const unknown = status >= 500 ? UNAVAILABLE : UNKNOWN;
  const { meaning, advice } = isErrorCode(code) ? ERROR_CODES[code] : unknown;
  const title = withoutPeriod(meaning);
  return { title, facts: saidBy(failure, title), advice };
}

/** Title for a response that isn't the service's own, such as a proxy's page. */
export const FOREIGN_TITLE = "The response didn't come from the service";
/** Its likely cause. */
export const FOREIGN_FACT = 'A proxy, firewall or sign-in page may have responded instead';

function explainForeign(failure: Failure): Explanation {
  return {
    title: FOREIGN_TITLE,
    facts: [`${FOREIGN_FACT}.`, ...saidBy(failure, FOREIGN_TITLE)],
    advice: mayPass(failure.status)
      ? WAIT
      : 'Check Base URL in the {credential}. If it is correct, ask whoever manages the proxy or firewall to allow requests to the service.',
  };
}

/** Maximum length of an ID or a list of scopes in a title. */
const MAX_NAMES_LENGTH = 80;

function explainMissing(id: string): Explanation {
  return {
    title: `No QR code with ID ${clip(id, MAX_NAMES_LENGTH)} was found`,
    facts: [],
    advice: 'Use the ID or the short link of a QR code, not its name, and an API key of its workspace.',
  };
}

/** Names the missing scopes: those that the service states, or else the one that the call needs. */
function explainScope(failure: Failure, { scopes = '' }: ErrorWords): Explanation {
  const { details } = failure;
  const operation = operationOf(failure);
  const usual = operation && OPERATION_SCOPES[operation];
  const stated = scopesIn(details?.['required']);
  const required = stated.length === 0 && usual !== undefined ? [usual] : stated;
  const granted = textList(details?.['granted']);
  const named = `the ${required.length > 1 ? 'scopes' : 'scope'} ${listOf(required)}`;
  const isNamed = required.length > 0;
  return {
    title: `The API key lacks ${isNamed ? named : 'a scope'}`,
    facts: granted === undefined ? [] : [`It has ${granted.length === 0 ? 'no scopes' : listOf(granted)}.`],
    advice: joined([
      `Create an API key in the app with ${isNamed ? named : 'the missing scope'} as well, then update the {credential}.`,
      scopes,
    ]),
  };
}

/** The scope names in a list or a text. Anything else is dropped. */
function scopesIn(value: unknown): string[] {
  const texts = textList([value].flat()) ?? [];
  return texts.flatMap((names) => names.split(/[\s,]+/)).filter((name) => /^[\w:.*-]{1,60}$/.test(name));
}

function listOf(names: readonly string[]): string {
  return clip(inOrder(names).join(', '), MAX_NAMES_LENGTH);
}

/** Maximum length of the service's message in a description. */
const MAX_MESSAGE_LENGTH = 500;
/** Maximum length of its details. */
const MAX_DETAILS_LENGTH = 300;

/** Message for an error response without one. */
export function statusMessage(status: number): string {
  return `The service responded with status ${status}.`;
}

/** The service's own message and details as sentences, unless they only repeat the title. */
function saidBy({ status, serviceMessage, details }: Failure, title: string): string[] {
  const said = sentence(clip(serviceMessage, MAX_MESSAGE_LENGTH));
  const isKnown = [statusMessage(status), `${title}.`].some(
    (known) => known.toLowerCase() === said.toLowerCase(),
  );
  const shown = clip(detailText(details ?? {}), MAX_DETAILS_LENGTH).trim();
  return [isKnown ? '' : said, shown === '' ? '' : sentence(`Details: ${shown}`)];
}

/** Any details as text: `fields: url: must be https`. Their shape isn't known (API text, "Errors", gaps). */
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

/** What support needs to identify an error. */
function referenceOf({ code, status, requestId, intermediary }: Failure): string {
  const isBare = code === `http_${status}`;
  const request = requestId === undefined ? undefined : `request ${requestId}`;
  return [isBare ? `status ${status}` : code, intermediary, request]
    .filter((part) => part !== undefined)
    .join(', ');
}

/** Formats a duration for people, rounded up: `90 seconds`, `58 minutes`, `3 hours`. */
export function duration(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  if (seconds <= 300) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return seconds <= 7200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`;
}
