const NAMED = 3;

/** What is missing, came more than once or was not to come at all. @param came how often each came */
export function problemsOf(
  what: string,
  wanted: ReadonlySet<string>,
  came: ReadonlyMap<string, number>,
): string[] {
  const kinds: Record<string, string[]> = {
    missing: [...wanted].filter((key) => !came.has(key)),
    'more than once': [...came].filter(([, times]) => times > 1).map(([key]) => key),
    'not genuine': [...came.keys()].filter((key) => !wanted.has(key)),
  };
  return Object.entries(kinds)
    .filter(([, keys]) => keys.length > 0)
    .map(([kind, keys]) => `${keys.length} ${what}s ${kind}: ${keys.slice(0, NAMED).join(', ')}`);
}
