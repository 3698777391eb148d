import type { KeyOptions } from '../config/keyOptions.ts';
import { DIMENSIONS } from '../config/scanDimensions.ts';
import type { SeedCode, SeedSubscription, Seed } from '../config/seed.ts';
import type { NewApiKey } from '../store/apiKeys.ts';
import { CODE_STATUSES } from '../store/qrCodes.ts';
import { checkObject, InputError, type Fields } from '../validation/checkObject.ts';
import { isListOf, isMoment, orNull, isAbsoluteUrl, isOneOf, isText } from '../validation/checks.ts';
import { isEventList, isPublicUrl } from '../validation/webhookChecks.ts';
import { KEY_FIELDS, readKey } from './keys.ts';

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
