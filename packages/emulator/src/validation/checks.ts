import { BlockList, isIP } from 'node:net';
import { EVENT_TYPES, type EventType } from '@qr-service/core';
import { checkWebhookUrl } from '@qr-service/core/webhook';

/** Checks a value. Returns the problem, or undefined if it is valid. */
export type FieldCheck = (value: unknown) => string | undefined;

const MAX_URL_LENGTH = 2048;
/** More levels than real data needs. Indented JSON grows with the square of its depth. */
const MAX_LEVELS = 100;

/** Checks for a string of 1 to `max` characters that isn't blank. */
export function isText(max: number): FieldCheck {
  return (value) => {
    if (typeof value !== 'string' || value.trim() === '') return 'must be a string that is not blank';
    // A lone surrogate has no UTF-8, so it couldn't be returned as it came.
    if (!value.isWellFormed()) return 'must be valid Unicode, without half of a surrogate pair';
    return value.length > max ? `must have at most ${max} characters` : undefined;
  };
}

/** Checks for a string of this form. @param problem what to say otherwise */
export function isMatch(pattern: RegExp, problem: string): FieldCheck {
  return (value) => (typeof value === 'string' && pattern.test(value) ? undefined : problem);
}

/** Checks for one of these values. */
export function isOneOf(known: readonly unknown[]): FieldCheck {
  return (value) => (known.includes(value) ? undefined : `must be one of: ${known.join(', ')}`);
}

/** Checks for an absolute http or https URL. */
export const isAbsoluteUrl: FieldCheck = (value) => {
  if (typeof value !== 'string' || !/^https?:\/\/\S+$/i.test(value) || !URL.canParse(value))
    return `must be an absolute URL with http or https, of at most ${MAX_URL_LENGTH} characters`;
  return isText(MAX_URL_LENGTH)(value);
};

/** Checks for a whole number. */
export function isInteger(min: number, max: number): FieldCheck {
  return (value) =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max
      ? undefined
      : `must be a whole number from ${min} to ${max}`;
}

/** Checks for true or false. */
export const isBoolean: FieldCheck = (value) =>
  typeof value === 'boolean' ? undefined : 'must be true or false';

/** Accepts null and any value that passes the check. */
export function nullable(check: FieldCheck): FieldCheck {
  return (value) => (value === null ? undefined : check(value));
}

/** Checks for an object of JSON that can be serialized in reasonable time. */
export const isData: FieldCheck = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object';
  return isDeep(value, MAX_LEVELS) ? `can be nested at most ${MAX_LEVELS} levels deep` : undefined;
};

function isDeep(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeep(inner, levels - 1));
}

/** Checks for a time: ISO 8601, milliseconds since the epoch or a Date. */
export const isDateTime: FieldCheck = (value) => {
  const isTime = typeof value === 'number' || typeof value === 'string' || value instanceof Date;
  if (isTime && !Number.isNaN(readTime(value))) return undefined;
  return 'must be a time, in ISO 8601 or in milliseconds since the epoch';
};

/**
 * Milliseconds since the epoch of a time in ISO 8601, in milliseconds or a Date. NaN for anything else, and for a day that
 * doesn't exist, such as February 30, which `Date` reads as March 2.
 */
export function readTime(time: string | number | Date): number {
  if (typeof time !== 'string') return new Date(time).getTime();
  const [, year, month, day] = /^([+-]\d{6}|\d{4})-(\d\d)-(\d\d)(?=[T ]|$)/.exec(time) ?? [];
  const exists =
    day !== undefined && new Date(`${year}-${month}-${day}T00:00:00Z`).getUTCDate() === Number(day);
  return exists ? Date.parse(time) : NaN;
}

/** Checks for a URL that the service delivers to. */
export const isWebhookUrl: FieldCheck = (value) => {
  const problem = typeof value === 'string' ? checkWebhookUrl(value) : 'It is not a string.';
  return problem === undefined
    ? isText(MAX_URL_LENGTH)(value)
    : `must be HTTPS on a public host (${problem.replace(/\.$/, '')})`;
};

/** Checks for a list of event types. */
export const isEventTypeList: FieldCheck = (value) => {
  if (!Array.isArray(value) || value.length === 0) return 'must be a list of at least one event name';
  const unknown = value.filter((type) => !EVENT_TYPES.includes(type as EventType));
  return unknown.length === 0 ? undefined : `has unknown events: ${unknown.map(String).join(', ')}`;
};

/** Checks for an IP address or a CIDR range. */
export const isAddress: FieldCheck = (value) => {
  try {
    parseAddressList([String(value)]);
    return undefined;
  } catch {
    return 'must be an IP address or a CIDR range, for example 10.0.0.0/8';
  }
};

/**
 * Parses an allow-list of IP addresses and CIDR ranges.
 * @throws Error when one of them is invalid
 */
export function parseAddressList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
    if (bits === undefined) list.addAddress(address, addressFamily(address));
    else list.addSubnet(address, Number(bits), addressFamily(address));
  }
  return list;
}

/** The family of an IP address, as Node names it. */
export function addressFamily(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
