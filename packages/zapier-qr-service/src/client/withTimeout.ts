/** Waits for a result, for at most `ms` milliseconds, and then rejects. The timer doesn't keep the process alive. */
export async function withTimeout<Value>(work: Promise<Value>, ms: number): Promise<Value> {
  const limit = AbortSignal.timeout(ms);
  let fail: () => void = () => undefined;
  const timedOut = new Promise<never>((_resolve, reject) => {
    fail = () => reject(new Error(`Timed out after ${ms} ms.`));
    limit.addEventListener('abort', fail);
  });
  try {
    return await Promise.race([work, timedOut]);
  } finally {
    limit.removeEventListener('abort', fail);
  }
}
