const MAX_EXAMPLES = 3;

/** What is missing, came more than once or was not to come at all. @param received how often each came */
export function problemsOf(
  what: string,
  expected: ReadonlySet<string>,
  received: ReadonlyMap<string, number>,
): string[] {
  const kinds: Record<string, string[]> = {
    missing: [...expected].filter((key) => !received.has(key)),
    'more than once': [...received].filter(([, times]) => times > 1).map(([key]) => key),
    'not genuine': [...received.keys()].filter((key) => !expected.has(key)),
  };
  return Object.entries(kinds)
    .filter(([, keys]) => keys.length > 0)
    .map(([kind, keys]) => `${keys.length} ${what}s ${kind}: ${keys.slice(0, MAX_EXAMPLES).join(', ')}`);
}
