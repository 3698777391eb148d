import {
  describeNotPublished,
  errorText,
  isNotPublishedError,
  type NotPublishedError,
} from '@qr-service/core/connector';
import type { ZObject } from 'zapier-platform-core';
import { BEFORE_RERUN, CREATE_WORDS, notPublishedWords, type UnsafeRerun } from './errorWords.ts';
import { plainError, rerunDelay, toZapierError } from './zapierErrors.ts';

/** Converts the error of a step that creates a code to one of Zapier's errors. */
export function creationError(z: ZObject, error: unknown, unsafe: UnsafeRerun): Error {
  if (isNotPublishedError(error)) return notPublished(z, error, unsafe);
  const words = { ...CREATE_WORDS, hasDeduplicationKey: unsafe === 'withAnotherApiKey' };
  return toZapierError(z, error, words, unsafe);
}

/**
 * Words the error of a code that was created but not published: it names the code and says whether running the step
 * again creates a duplicate. Zapier itself reruns a run only if that creates none with the same API key: for another
 * one, for example after a 401, the service may not know the deduplication key. So this never asks people to reconnect,
 * as Zapier would then replay the held run. The next request with the same API key asks.
 */
function notPublished(z: ZObject, error: NotPublishedError, unsafe: UnsafeRerun): Error {
  const delay = BEFORE_RERUN[unsafe] === undefined ? rerunDelay(error.cause) : undefined;
  const words = notPublishedWords(error.cause, delay === undefined ? unsafe : 'byZapier');
  const text = errorText(describeNotPublished(error, words));
  return delay === undefined ? plainError(z, text, error.code) : new z.errors.ThrottledError(text, delay);
}
