/** What the work gives, within a time limit that is no wait of its own: rejects where it takes longer than so many milliseconds. */
export async function inTime<Value>(work: Promise<Value>, ms: number): Promise<Value> {
  const limit = AbortSignal.timeout(ms);
  let end: () => void = () => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    end = () => reject(new Error('too late'));
    limit.addEventListener('abort', end);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    limit.removeEventListener('abort', end);
  }
}
