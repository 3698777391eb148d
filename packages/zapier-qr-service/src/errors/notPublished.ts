import { describeNotPublished, type NotPublishedError } from '@qr-service/core/connector';
import type { ZObject } from 'zapier-platform-core';
import type { UnsafeRerun } from '../client/ambiguousCreates.ts';
import { notPublishedWords } from './errorWords.ts';
import { asText, plainError, rerunDelay } from './zapierErrors.ts';

/**
 * Words the error of a code that was created but not published: it names the code and says whether running the step
 * again creates a duplicate. Zapier itself reruns a run only if that creates none with the same API key: for another
 * one, for example after a 401, the service may not know the deduplication key. So this never asks people to reconnect,
 * as Zapier would then replay the held run. The next request with the same API key asks.
 */
export function notPublished(z: ZObject, error: NotPublishedError, unsafe: UnsafeRerun): Error {
  const text = asText(describeNotPublished(error, notPublishedWords(error, unsafe)), error.cause);
  const delay = unsafe === 'any' ? undefined : rerunDelay(error.cause);
  return delay === undefined ? plainError(z, text, error.code) : new z.errors.ThrottledError(text, delay);
}
