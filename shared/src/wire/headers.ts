/** Headers as a transport or a platform returns them: names in any case, a repeated one as an array. */
export type WireHeaders = Record<string, string | string[] | undefined>;

/** Reads a header by name in any case; the first value of a repeated header. */
export function readHeader(headers: WireHeaders, name: string): string | undefined {
  const wanted = name.toLowerCase();
  if (Object.hasOwn(headers, wanted)) return first(headers[wanted]);
  for (const key of Object.keys(headers)) {
    if (key.toLowerCase() === wanted) return first(headers[key]);
  }
  return undefined;
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
