const MAX_EXAMPLES = 3;

/** Describes missing, duplicate and unexpected keys. @param received number of times that each key was received */
export function problemsOf(
  what: string,
  expected: ReadonlySet<string>,
  received: ReadonlyMap<string, number>,
): string[] {
  const kinds: Record<string, string[]> = {
    missing: [...expected].filter((key) => !received.has(key)),
    'more than once': [...received].filter(([, times]) => times > 1).map(([key]) => key),
    unexpected: [...received.keys()].filter((key) => !expected.has(key)),
  };
  return Object.entries(kinds)
    .filter(([, keys]) => keys.length > 0)
    .map(([kind, keys]) => `${keys.length} ${what}s ${kind}: ${keys.slice(0, MAX_EXAMPLES).join(', ')}`);
}
