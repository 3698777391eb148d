import type { IncomingHttpHeaders } from 'node:http';

const WITHOUT_PREFIX = ['content-type', 'content-length'];

/**
 * Headers of a request as Zapier hands them to a hook: Camel-Case with `Http-` in front, except
 * Content-Type and Content-Length.
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
