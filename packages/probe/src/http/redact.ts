import { headerNames, showText } from '@qr-service/core/connector';
import type { Exchange } from './Exchange.ts';

const LONGEST_BODY = 4000;
const LONGEST_NAME = 40;
const CONTROL = /[\p{C}\p{Zl}\p{Zp}]/gu;
const FIELD_NAME = /^[\p{L}_$][\p{L}\p{N}_$.-]{0,39}$/u;
const ADDRESS = /\bhttps?:\/\/[^\s"'<>]+/gi;
const SECRET_NAME = /secret|signing_?key|token|password/i;
const SECRET_HEADER = /cookie|authorization|api-key/i;

/** A name that the service uses, such as that of a field: in one short line, without control characters. */
export function showName(name: string): string {
  return showText(name, LONGEST_NAME);
}

/** Whether a name in JSON is one that a service gives its fields. Others may be values, such as IDs. */
export function isFieldName(name: string): boolean {
  return FIELD_NAME.test(name);
}

/**
 * Removes what a service's own words may tell about the user's codes: their names, and any web address.
 * @param names the names that are known
 */
export function withoutNames(text: string, names: readonly string[]): string {
  const longestFirst = names
    .filter((name) => name.trim().length > 2)
    .toSorted((one, other) => other.length - one.length);
  return longestFirst
    .reduce((rest, name) => rest.replaceAll(name, '[name]'), text)
    .replaceAll(ADDRESS, '[address]');
}

/** Whether a field is named like one that contains a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** Replaces keys and secrets in a text, also where they are encoded for a URL or as Basic authentication. */
export function redactor(secrets: ReadonlySet<string>): (text: string) => string {
  return (text) => {
    let result = text;
    for (const secret of secrets)
      for (const form of new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]))
        if (form !== '') result = result.replaceAll(form, '[secret]');
    return result;
  };
}

/** A request and its response as text for `--verbose`, without keys and secrets. */
export function describeExchange(exchange: Exchange, redact: (text: string) => string): string {
  const { request, status, headers, bytes, text, sentAt, receivedAt } = exchange;
  const query = new URLSearchParams(
    Object.entries(request.query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  const names = headerNames();
  const sent = [
    `${request.method} ${request.path}${query === '' ? '' : `?${query}`}`,
    ...(request.auth === 'api-key' ? [`key in ${names.apiKey}`] : []),
    ...(request.otherKey === undefined ? [] : ['with an unknown key']),
    ...(request.idempotencyKey === undefined ? [] : [`Idempotency-Key: ${request.idempotencyKey}`]),
    ...(request.body === undefined ? [] : [JSON.stringify(request.body)]),
  ];
  const received = [
    `${status} after ${receivedAt - sentAt} ms`,
    ...Object.entries(headers)
      .filter(([name]) => !SECRET_HEADER.test(name))
      .map(([name, value]) => `${name}: ${String(value)}`),
    request.isImage === true && status < 300 ? `(${bytes.length} bytes)` : clipBody(text, redact),
  ];
  return redact([...sent, ...received].map((line) => line.replace(CONTROL, ' ')).join('\n'));
}

/** Redacted before it is shortened, as half a secret is still a secret. */
function clipBody(text: string, redact: (text: string) => string): string {
  const safe = redact(hideSecretFields(text));
  return safe.length > LONGEST_BODY ? `${safe.slice(0, LONGEST_BODY)}… (${safe.length} characters)` : safe;
}

function hideSecretFields(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (name, value: unknown) =>
      isSecretName(name) && typeof value === 'string' ? '[secret]' : value,
    );
  } catch {
    return text;
  }
}
