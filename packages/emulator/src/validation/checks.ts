import { BlockList, isIP } from 'node:net';
import { EVENT_TYPES, type EventType } from '@qr-service/core';
import { checkWebhookUrl } from '@qr-service/core/webhook';
import { field } from './input.ts';

// Schemas of values. Each problem follows the value's name in a sentence.

const MAX_URL_LENGTH = 2048;
/** More levels than real data needs. Indented JSON grows with the square of its depth. */
const MAX_LEVELS = 100;

/** A string of 1 to `max` characters that isn't blank. */
export const text = (max: number) => field<string>((value) => textProblem(value, max));

function textProblem(value: unknown, max: number): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return 'must be a string that is not blank';
  // A lone surrogate has no UTF-8, so it couldn't be returned as it came.
  if (!value.isWellFormed()) return 'must be valid Unicode, without half of a surrogate pair';
  return value.length > max ? `must have at most ${max} characters` : undefined;
}

/** A string of this form. @param problem what to say otherwise */
export const matching = (pattern: RegExp, problem: string) =>
  field<string>((value) => (typeof value === 'string' && pattern.test(value) ? undefined : problem));

/** A whole number. */
export const integer = (min: number, max: number) =>
  field<number>((value) =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max
      ? undefined
      : `must be a whole number from ${min} to ${max}`,
  );

/** One of these values. */
export const oneOf = <const Value>(known: readonly Value[]) =>
  field<Value>((value) =>
    known.includes(value as Value) ? undefined : `must be one of: ${known.join(', ')}`,
  );

/** True or false. */
export const BOOLEAN = field<boolean>((value) =>
  typeof value === 'boolean' ? undefined : 'must be true or false',
);

/** An absolute http or https URL. */
export const ABSOLUTE_URL = field<string>((value) =>
  typeof value !== 'string' || !/^https?:\/\/\S+$/i.test(value) || !URL.canParse(value)
    ? `must be an absolute URL with http or https, of at most ${MAX_URL_LENGTH} characters`
    : textProblem(value, MAX_URL_LENGTH),
);

/** A URL that the service delivers to. */
export const WEBHOOK_URL = field<string>((value) => {
  const problem = typeof value === 'string' ? checkWebhookUrl(value) : 'It is not a string.';
  return problem === undefined
    ? textProblem(value, MAX_URL_LENGTH)
    : `must be HTTPS on a public host (${problem.replace(/\.$/, '')})`;
});

/** A list of event types. */
export const EVENT_TYPE_LIST = field<readonly EventType[]>((value) => {
  if (!Array.isArray(value) || value.length === 0) return 'must be a list of at least one event name';
  const unknown = value.filter((type) => !EVENT_TYPES.includes(type as EventType));
  return unknown.length === 0 ? undefined : `has unknown events: ${unknown.map(String).join(', ')}`;
});

/** An object of JSON that can be serialized in reasonable time. */
export const DATA = field<Record<string, unknown>>((value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object';
  return isDeep(value, MAX_LEVELS) ? `can be nested at most ${MAX_LEVELS} levels deep` : undefined;
});

function isDeep(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeep(inner, levels - 1));
}

/** A time: ISO 8601, milliseconds since the epoch or a Date. */
export const TIME = field<string | number | Date>((value) => {
  const isTime = typeof value === 'number' || typeof value === 'string' || value instanceof Date;
  if (isTime && !Number.isNaN(readTime(value))) return undefined;
  return 'must be a time, in ISO 8601 or in milliseconds since the epoch';
});

/**
 * Milliseconds since the epoch of a time in ISO 8601, in milliseconds or a Date. NaN for anything else, and for a day that
 * doesn't exist, such as February 30, which `Date` reads as March 2.
 */
export function readTime(time: string | number | Date): number {
  if (typeof time !== 'string') return new Date(time).getTime();
  const [date = '', day] = /^(?:[+-]\d{6}|\d{4})-\d\d-(\d\d)(?=[T ]|$)/.exec(time) ?? [];
  const exists = new Date(`${date}T00:00:00Z`).getUTCDate() === Number(day);
  return exists ? Date.parse(time) : NaN;
}

/** An IP address or a CIDR range. */
export const ADDRESS = field<string>((value) => {
  try {
    parseAddressList([String(value)]);
    return undefined;
  } catch {
    return 'must be an IP address or a CIDR range, for example 10.0.0.0/8';
  }
});

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
