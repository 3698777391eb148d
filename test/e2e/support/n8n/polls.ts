import type { Control } from 'qr-service-emulator';
import { until } from './executions.ts';

/** Only ends a hang. */
const TIMEOUT_MS = 100_000;

/**
 * Waits until n8n has started this many more polls of a list. All but the last one have finished by then.
 * @param list end of the list's path
 * @returns start time of each poll, in milliseconds since the epoch
 */
export async function waitForPolls(
  control: Control,
  list: '/qr' | '/scans',
  count: number,
): Promise<number[]> {
  const from = Date.now();
  const pollTimes = () =>
    control
      .requests()
      .filter(({ at, path }) => {
        const { pathname, searchParams } = new URL(path, 'http://emulator');
        const isFirstPage =
          searchParams.has(list === '/qr' ? 'updatedSince' : 'since') && !searchParams.has('cursor');
        return at >= from && pathname.endsWith(list) && isFirstPage;
      })
      .map(({ at }) => at);
  await until(`n8n has polled ${list} ${count} times`, () => pollTimes().length >= count, TIMEOUT_MS);
  return pollTimes();
}
