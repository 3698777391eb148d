/**
 * Reads a value, or returns undefined if that throws: a platform may pass objects, such as proxies, that throw when
 * they are read.
 */
export function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
