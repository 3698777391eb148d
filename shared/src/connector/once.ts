/**
 * Reads once and remembers the result. If that fails, the callers that waited for it fail too, and later ones read
 * again.
 */
export function once<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined;
  return () => {
    result ??= read().catch((error: unknown) => {
      result = undefined;
      throw error;
    });
    return result;
  };
}
