/** Waits for a result, for at most `ms` milliseconds, and then rejects. The timer doesn't keep the process alive. */
export function withTimeout<Value>(work: Promise<Value>, ms: number): Promise<Value> {
  const timedOut = new Promise<never>((_resolve, reject) => {
    AbortSignal.timeout(ms).addEventListener('abort', () => reject(new Error(`Timed out after ${ms} ms.`)));
  });
  return Promise.race([work, timedOut]);
}
