/**
 * What looking at a value gives, or undefined where that throws: a platform may hand over objects, proxies among them,
 * that throw when they are looked at.
 */
export function attempt<Result>(look: () => Result): Result | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
