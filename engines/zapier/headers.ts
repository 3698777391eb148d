import type { IncomingHttpHeaders } from 'node:http';

const WITHOUT_PREFIX = ['content-type', 'content-length'];

/**
 * Converts headers to the form in which Zapier passes them to a hook: `Http-` and the name in Train-Case. Content-Type
 * and Content-Length get no prefix.
 */
export function toZapierHeaders(
  headers: IncomingHttpHeaders | Record<string, string>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[toZapierName(name), Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

function toZapierName(name: string): string {
  const camelCase = name.toLowerCase().replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase());
  return WITHOUT_PREFIX.includes(name.toLowerCase()) ? camelCase : `Http-${camelCase}`;
}
