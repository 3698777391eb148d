/** The result of some work; rejects when it takes longer than `ms` milliseconds. The time limit keeps no process alive. */
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
