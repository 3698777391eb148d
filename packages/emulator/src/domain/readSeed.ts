import { EVENT_TYPES, type EventType } from '@qr-service/core';
import { checkObject, InputError, isListOf, isMoment, orNull, type Fields } from '../validation/checkObject.ts';
import { KEY_FIELDS, readKey } from './keys.ts';
import type { KeyOptions } from '../config/options.ts';
import { isAbsoluteUrl, isOneOf, isText } from '../validation/checks.ts';
import { isEventList, isPublicUrl } from '../http/api/routes/webhooks.ts';
import type { NewApiKey } from '../store/apiKeys.ts';
import type { Store } from '../store/index.ts';
import { CODE_STATUSES, type QrRecord } from '../store/qrCodes.ts';
import { DIMENSIONS, type Dimension, type Visit } from '../store/scans.ts';

/** What an emulator begins with. */
export interface Seed {
  codes?: readonly SeedCode[];
  keys?: readonly KeyOptions[];
  subscriptions?: readonly SeedSubscription[];
}

/** A code to begin with. What is not given is made up as for a new code. */
export interface SeedCode {
  name: string;
  targetUrl: string;
  id?: string;
  slug?: string;
  /** Default `draft`. */
  status?: QrRecord['status'];
  /** Default `not_required`. */
  approvalState?: string;
  folderId?: string | null;
  scans?: readonly SeedScan[];
}

/** A scan to begin with. Dimensions that are not given are unknown. */
export interface SeedScan extends Partial<Visit> {
  /** ISO 8601, or milliseconds since the epoch. */
  scannedAt: string | number;
}

/** A subscription to begin with. */
export interface SeedSubscription {
  url: string;
  /** Default: all events. */
  eventTypes?: readonly EventType[];
  /** Default: a new one. */
  secret?: string;
}

/** A seed whose every part can be used. */
export interface CheckedSeed {
  codes: readonly SeedCode[];
  keys: readonly NewApiKey[];
  subscriptions: readonly SeedSubscription[];
}

const isSlug = (value: unknown) =>
  typeof value === 'string' && /^[a-z0-9-]{1,80}$/.test(value)
    ? undefined
    : 'must be made of small letters, digits and hyphens, 80 at most';
const isId = (value: unknown) =>
  typeof value === 'string' && /^[\w-]{1,80}$/.test(value)
    ? undefined
    : 'must be made of letters, digits, _ and -, 80 at most';
const anything = () => undefined;

const CODE: Fields = {
  required: { name: isText(200), targetUrl: isAbsoluteUrl },
  optional: {
    id: isId,
    slug: isSlug,
    status: isOneOf(CODE_STATUSES),
    approvalState: isText(80),
    folderId: orNull(isText(200)),
    scans: isListOf(anything),
  },
};
const SCAN: Fields = {
  required: { scannedAt: isMoment },
  optional: Object.fromEntries(DIMENSIONS.map((dimension) => [dimension, orNull(isText(200))])),
};
const SUBSCRIPTION: Fields = {
  required: { url: isPublicUrl },
  optional: { eventTypes: isEventList, secret: isText(200) },
};
const LISTS: Fields = {
  optional: { codes: isListOf(anything), keys: isListOf(anything), subscriptions: isListOf(anything) },
};

/**
 * Checks a seed.
 * @throws InputError for the first part that can't be used, with its place
 */
export function readSeed(seed: unknown): CheckedSeed {
  checkObject(seed, '', LISTS);
  const { codes = [], keys = [], subscriptions = [] } = seed as Seed;
  codes.forEach((code, nth) => {
    checkObject(code, `codes[${nth}]`, CODE);
    code.scans?.forEach((scan, scanNth) => checkObject(scan, `codes[${nth}].scans[${scanNth}]`, SCAN));
  });
  for (const field of ['id', 'slug'] as const) refuseTwice(codes, field);
  subscriptions.forEach((subscription, nth) =>
    checkObject(subscription, `subscriptions[${nth}]`, SUBSCRIPTION),
  );
  return { codes, keys: keys.map((key, nth) => checkedKey(key, `keys[${nth}]`)), subscriptions };
}

/** Puts a seed into the store, as if it had always been there: nothing is announced. */
export function plantSeed(
  store: Store,
  { codes, keys, subscriptions }: CheckedSeed,
  now: () => number,
): void {
  store.transaction(() => {
    for (const key of keys) store.apiKeys.create(key);
    for (const { url, eventTypes = EVENT_TYPES, secret } of subscriptions)
      store.subscriptions.create(url, eventTypes, now(), secret);
    const scans = codes.flatMap((code) => {
      const { id } = plantCode(store, code);
      return (code.scans ?? []).map((scan) => ({
        id,
        at: new Date(scan.scannedAt).getTime(),
        visit: visitOf(scan),
      }));
    });
    scans.sort((one, other) => one.at - other.at);
    for (const { id, at, visit } of scans) store.scans.record(id, at, visit);
  });
}

function plantCode(store: Store, code: SeedCode): QrRecord {
  const { name, targetUrl, status = 'draft', approvalState = 'not_required', folderId = null } = code;
  return store.qrCodes.insert({
    id: code.id ?? store.ids.newId('qr'),
    slug: code.slug ?? store.ids.newSlug(name),
    name,
    targetUrl,
    mode: 'dynamic',
    contentType: 'url',
    status,
    approvalState,
    folderId,
  });
}

function visitOf(scan: SeedScan): Visit {
  return Object.fromEntries(
    DIMENSIONS.map((dimension: Dimension) => [dimension, scan[dimension] ?? null]),
  ) as Visit;
}

function checkedKey(key: unknown, place: string): NewApiKey {
  checkObject(key, place, KEY_FIELDS);
  try {
    return readKey(key as KeyOptions);
  } catch (error) {
    const [first = '', ...rest] = (error as Error).message.replace(/\.$/, '');
    throw new InputError(place, `can't be used: ${first.toLowerCase()}${rest.join('')}`);
  }
}

function refuseTwice(codes: readonly SeedCode[], field: 'id' | 'slug'): void {
  const places = new Map<string, number>();
  codes.forEach((code, nth) => {
    const value = code[field];
    if (value === undefined) return;
    const first = places.get(value);
    if (first !== undefined)
      throw new InputError(`codes[${nth}].${field}`, `is the same as that of codes[${first}]`);
    places.set(value, nth);
  });
}
