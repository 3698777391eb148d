import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { until } from '../../support/n8n/executions.ts';

/** Waits until the page shows this. @throws AssertionError with the page's content when that takes too long */
export async function eventually<T>(read: () => Promise<T>, expected: T): Promise<void> {
  let shown: T | undefined;
  const isShown = async () => isDeepStrictEqual((shown = await read()), expected);
  await until('the page shows it', isShown).catch(() => assert.deepEqual(shown, expected));
}
