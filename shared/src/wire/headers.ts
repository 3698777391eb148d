/** Headers as a transport or a platform gives them: any case, a repeated one as an array. */
export type WireHeaders = Record<string, string | string[] | undefined>;

/** A header's value by name in any case; the first one of a repeated header. */
export function readHeader(headers: WireHeaders, name: string): string | undefined {
  const wanted = name.toLowerCase();
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() === wanted) return Array.isArray(value) ? value[0] : value;
  }
  return undefined;
}
