import { isApiError } from '@qr-service/core';
import type { ErrorWords, NotPublishedWords } from '@qr-service/core/connector';

/**
 * Which reruns may duplicate a code that a failed run has created, or may have: any rerun; with a Deduplication Key, only
 * one with another API key, as the service may not know the key there; none if each run looks for the code first. In Find
 * or Create, the search of any rerun may find a draft and return it unpublished, in a successful run.
 */
export type UnsafeRerun = 'any' | 'afterSearch' | 'withAnotherApiKey' | 'none';

/** What to do if nothing else is known. */
export const CONTACT_SUPPORT = 'If it keeps failing, contact support.';

/** Zapier's wording for errors. */
export const ZAPIER_WORDS: ErrorWords = {
  credential: 'connection',
  rerun: 'run this step again',
  otherwise: CONTACT_SUPPORT,
  advice: new Map([
    [
      'ip_not_allowed',
      "Zapier's IP addresses aren't yours, and they change. Remove the key's IP restriction in the app, or create a key without one and update the connection.",
    ],
  ]),
};

/** For steps that create a code: a replay runs only what failed, for the same record. */
export const CREATE_WORDS: ErrorWords = { ...ZAPIER_WORDS, rerun: 'replay this run' };

/** The words for a run that Zapier repeats by itself: one that people replay as well could create a duplicate. */
export function throttledWords(words: ErrorWords): ErrorWords {
  const isRun = [ZAPIER_WORDS.rerun, CREATE_WORDS.rerun].includes(words.rerun);
  return isRun ? { ...words, rerun: 'test again. Zapier runs a live Zap again by itself' } : words;
}

/** For turning on a Zap with an instant trigger. */
export const SUBSCRIBE_WORDS: ErrorWords = { ...ZAPIER_WORDS, rerun: 'turn the Zap on again' };

/** For a dropdown. */
export const DROPDOWN_WORDS: ErrorWords = { ...ZAPIER_WORDS, rerun: 'reload the list' };

/** For the connection test. */
export const CONNECTION_TEST_WORDS: ErrorWords = { ...ZAPIER_WORDS, rerun: 'test the connection again' };

/**
 * The wording for a code that was created but not published.
 * @param unsafe which reruns are unsafe; `byZapier` if Zapier itself reruns the run
 */
export function notPublishedWords(cause: unknown, unsafe: UnsafeRerun | 'byZapier'): NotPublishedWords {
  return {
    ...ZAPIER_WORDS,
    publish: 'publish it with the Publish QR Code step',
    again: againAfter(cause, unsafe),
  };
}

function againAfter(cause: unknown, unsafe: UnsafeRerun | 'byZapier'): string {
  if (unsafe === 'byZapier') return 'In a live Zap, there is nothing to do: Zapier runs it again by itself.';
  if (unsafe === 'none') return 'Replaying this run is safe too: it publishes this code.';
  if (unsafe === 'afterSearch') return "Don't replay this run before: it could return the draft as it is.";
  if (unsafe === 'any')
    return "Don't replay this run: without a Deduplication Key it would create a duplicate.";
  // The user may have to use another API key, with which the service may not know the deduplication key.
  if (isApiError(cause) && (cause.status === 401 || cause.status === 403)) return KEEP_API_KEY;
  return "Replaying this run within 24 hours is safe too: with the same Deduplication Key it won't create a duplicate.";
}

/** A warning for when a code may exist and the run has a deduplication key. */
export const KEEP_API_KEY =
  "Don't replay this run with another API key: it could create a duplicate, even with the same Deduplication Key.";

const LOOK_FIRST = 'Look for it in the app before you replay this run.';

/** The advice if a code may have been created and Zapier must not rerun the step by itself. */
export const BEFORE_RERUN: Partial<Record<UnsafeRerun, string>> = {
  any: `${LOOK_FIRST} Set a Deduplication Key so that later runs are safe to replay.`,
  afterSearch: LOOK_FIRST,
};
