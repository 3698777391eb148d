import { Buffer } from 'node:buffer';
import { headerNames, readSubscription, showText } from '@qr-service/core/connector';
import { API_DESCRIPTION } from '../contract/apiDescription.ts';
import { isSuccess, parseJson, type Exchange } from './Exchange.ts';

const LONGEST_BODY = 4000;
const LONGEST_NAME = 40;
const CONTROL = /[\p{C}\p{Zl}\p{Zp}]/gu;
const FIELD_NAME = /^[\p{L}_$][\p{L}\p{N}_$.-]{0,39}$/u;
const ADDRESS = /\bhttps?:\/\/[^\s"'<>]+/gi;
const SECRET_NAME = /secret|signing_?key|token|password/i;
const SECRET_HEADER = /cookie|authorization|api-key/i;
const PLAIN_HEADER = /^(?:content-type|content-length|date|x-(?:[\w-]+-)?ratelimit-\w+)$/i;

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

/** Shorter texts don't count as secrets, unless they contain a digit. */
const SHORTEST_SECRET = 8;
const SHORTEST_WITH_DIGIT = 6;
const LONGEST_SECRET = 10_000;
const MOST_SECRETS = 500;
/** In JSON: a name with its colon, a text or a number, also where the rest isn't valid. */
const NAME_OR_VALUE = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*/gs;
const BETWEEN_WORDS = /[\s"'<>()[\]{},;:=&?|]+/;
const DATE_AND_TIME = /^\d{4}-\d\d-\d\dT|^\w{3}, \d\d \w{3} \d{4} /;
const PUBLIC_WORDS = JSON.stringify(API_DESCRIPTION);

/**
 * What a response contains that could be a secret, in a field with any name: everything except what is known, dates, and words
 * that are too short or that the API's description has, too.
 * @param response its body, the values of its headers, and the texts that aren't secret
 */
export function unknownTexts(response: {
  text: string;
  values: readonly string[];
  known: readonly string[];
}): string[] {
  const { text, values, known } = response;
  const whole = [...text.matchAll(NAME_OR_VALUE)].flatMap(([literal, , colon]) =>
    colon === undefined ? [textOf(literal)] : [],
  );
  const isUnknown = (value: string) =>
    value.length >= (/\d/.test(value) ? SHORTEST_WITH_DIGIT : SHORTEST_SECRET) &&
    value.length <= LONGEST_SECRET &&
    !DATE_AND_TIME.test(value) &&
    ![PUBLIC_WORDS, ...known].some((other) => other.includes(value));
  // A text may also contain one.
  const parts = [...whole, ...values, text].flatMap((value) => value.split(BETWEEN_WORDS));
  const found = [...whole, ...values, ...parts.filter((part) => /\d/.test(part))];
  return [...new Set(found)].filter(isUnknown).slice(0, MOST_SECRETS);
}

function textOf(literal: string): string {
  const value = parseJson(literal);
  return typeof value === 'string' ? value : literal;
}

/** Replaces keys and secrets in a text, also where they are encoded. */
export function redactor(secrets: ReadonlySet<string>): (text: string) => string {
  const forms = [...new Set([...secrets].flatMap(formsOf))].toSorted(
    (one, other) => other.length - one.length,
  );
  if (forms.length === 0) return (text) => text;
  const pattern = new RegExp(forms.join('|'), 'gi');
  return (text) => text.replace(pattern, '[secret]');
}

/** Regular expressions for the forms that a secret can have in a text, whatever encoded it. */
function formsOf(secret: string): string[] {
  // Half a character can't be encoded.
  const text = Buffer.from(secret).toString();
  return [
    ...[secret, showText(secret, LONGEST_SECRET)].map((form) =>
      (form.match(/\\+|[^]/gu) ?? []).map(inAnyForm).join(''),
    ),
    ...(text.length < SHORTEST_WITH_DIGIT ? [] : [Buffer.from(text).toString('hex')]),
    ...[0, 1, 2].flatMap((before) => inBase64(text, before)),
  ].filter((form) => form !== '');
}

/** A character as it is, or escaped once or more often for JSON, HTML or a URL. Backslashes in a row count as one. */
function inAnyForm(given: string): string {
  if (/\w/.test(given)) return given;
  const character = given.replace(/^\\+/, '\\');
  const hex = (code: number) => code.toString(16);
  const units = Array.from({ length: character.length }, (_none, at) => character.charCodeAt(at));
  const code = character.codePointAt(0) ?? 0;
  // A set, as a regular expression with the same alternative twice can take forever.
  const forms = new Set([
    ...[character, JSON.stringify(character).slice(1, -1).replace(/^\\/, '')].map(
      (form) =>
        `${form === '\\' ? '' : String.raw`\\*`}${form.replace(/[$()*+.?[\\\]^{|}]/, String.raw`\$&`)}`,
    ),
    units.map((unit) => String.raw`\\*u${hex(unit).padStart(4, '0')}`).join(''),
    `&(?:#0*${code}|#x0*${hex(code)}|[a-z]{2,6});`,
    [...Buffer.from(character)].map((byte) => `%(?:25)*${hex(byte).padStart(2, '0')}`).join(''),
    ...(character === ' ' ? [String.raw`\+`] : []),
  ]);
  return `(?:${[...forms].join('|')})${character === '\\' ? '+' : ''}`;
}

/** A text inside base64, as in Basic authentication, after a number of other bytes. */
function inBase64(text: string, before: number): string[] {
  const bytes = Buffer.from(' '.repeat(before) + text);
  const whole = bytes
    .toString('base64url')
    .slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
  if (whole.length < SHORTEST_WITH_DIGIT) return [];
  return [
    `[\\w+/-]{0,4}${whole.replaceAll(/[-_]/g, (sign) => (sign === '-' ? '[+-]' : '[/_]'))}[\\w+/=-]{0,4}`,
  ];
}

/** Changes all texts in a value. The names of fields stay. */
export function mapTexts<Value>(value: Value, change: (text: string) => string): Value {
  const walk = (inner: unknown): unknown => {
    if (typeof inner === 'string') return change(inner);
    if (typeof inner !== 'object' || inner === null) return inner;
    if (Array.isArray(inner)) return inner.map(walk);
    return Object.fromEntries(Object.entries(inner).map(([name, text]) => [name, walk(text)]));
  };
  return walk(value) as Value;
}

/** A request and its response as text for `--verbose`, without keys and secrets. */
export function describeExchange(exchange: Exchange, redact: (text: string) => string): string {
  const { request, status, headers, bytes, sentAt, receivedAt } = exchange;
  const query = new URLSearchParams(
    Object.entries(request.query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  const names = headerNames();
  const isNew = request.method === 'POST' && request.path === '/webhooks' && isSuccess(exchange);
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
      .filter(([name]) => (isNew ? PLAIN_HEADER.test(name) : !SECRET_HEADER.test(name)))
      .map(([name, value]) => `${name}: ${String(value)}`),
    request.isImage === true && status < 300
      ? `(${bytes.length} bytes)`
      : clipBody(redact(hideValues(exchange, isNew))),
  ];
  return redact([...sent, ...received].map((line) => line.replace(CONTROL, ' ')).join('\n'));
}

function clipBody(text: string): string {
  return text.length > LONGEST_BODY ? `${text.slice(0, LONGEST_BODY)}… (${text.length} characters)` : text;
}

/** Without the values of secret fields; a new subscription only with the values that were sent, and its ID. */
function hideValues({ request, text, json }: Exchange, isNew: boolean): string {
  if (isNew && json === undefined) return `(${text.length} characters, hidden)`;
  const known = JSON.stringify([request.body, readSubscription(json)?.id]);
  let field = '';
  return text.replace(NAME_OR_VALUE, (literal: string, name?: string, colon?: string) => {
    if (colon !== undefined) field = name ?? '';
    else if (isNew ? !known.includes(literal) : isSecretName(field)) return '"[hidden]"';
    return literal;
  });
}
