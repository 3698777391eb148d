import { setTimeout as delay } from 'node:timers/promises';

/** What the work gives, unless it takes longer than so many milliseconds: then this rejects. */
export async function inTime<Value>(work: Promise<Value>, ms: number): Promise<Value> {
  const timer = new AbortController();
  const late = delay(ms, undefined, { signal: timer.signal }).then(() => {
    throw new Error('too late');
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
  }
}
