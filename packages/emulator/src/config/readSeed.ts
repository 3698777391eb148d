import type { KeyOptions } from './keyOptions.ts';
import { DIMENSIONS } from './scanDimensions.ts';
import { checkObject, InputError, type Fields } from '../validation/checkObject.ts';
import {
  isAbsoluteUrl,
  isAny,
  isDateTime,
  isListOf,
  isOneOf,
  isText,
  nullable,
} from '../validation/checks.ts';
import { isEventTypeList, isWebhookUrl } from '../validation/webhookChecks.ts';
import { KEY_FIELDS, readKey, type NewApiKey } from './readKey.ts';
import { CODE_STATUSES, type Seed, type SeedCode, type SeedSubscription } from './seed.ts';

/** A valid seed. */
export interface CheckedSeed {
  codes: readonly SeedCode[];
  keys: readonly NewApiKey[];
  subscriptions: readonly SeedSubscription[];
}

const isSlug = (value: unknown) =>
  typeof value === 'string' && /^[a-z0-9-]{1,80}$/.test(value)
    ? undefined
    : 'must be at most 80 lowercase letters, digits and hyphens';
const isId = (value: unknown) =>
  typeof value === 'string' && /^[\w-]{1,80}$/.test(value)
    ? undefined
    : 'must be at most 80 letters, digits, underscores and hyphens';

const CODE: Fields = {
  required: { name: isText(200), targetUrl: isAbsoluteUrl },
  optional: {
    id: isId,
    slug: isSlug,
    status: isOneOf(CODE_STATUSES),
    approvalState: isText(80),
    folderId: nullable(isText(200)),
    scans: isListOf(isAny),
  },
};
const SCAN: Fields = {
  required: { scannedAt: isDateTime },
  optional: Object.fromEntries(DIMENSIONS.map((dimension) => [dimension, nullable(isText(200))])),
};
const SUBSCRIPTION: Fields = {
  required: { url: isWebhookUrl },
  optional: { eventTypes: isEventTypeList, secret: isText(200) },
};
const LISTS: Fields = {
  optional: { codes: isListOf(isAny), keys: isListOf(isAny), subscriptions: isListOf(isAny) },
};

/**
 * Checks a seed.
 * @throws InputError for the first invalid part, with its path
 */
export function readSeed(seed: unknown): CheckedSeed {
  checkObject(seed, '', LISTS);
  const { codes = [], keys = [], subscriptions = [] } = seed as Seed;
  codes.forEach((code, index) => {
    checkObject(code, `codes[${index}]`, CODE);
    code.scans?.forEach((scan, scanIndex) => checkObject(scan, `codes[${index}].scans[${scanIndex}]`, SCAN));
  });
  for (const field of ['id', 'slug'] as const) rejectDuplicates(codes, field);
  subscriptions.forEach((subscription, index) =>
    checkObject(subscription, `subscriptions[${index}]`, SUBSCRIPTION),
  );
  return { codes, keys: keys.map((key, index) => checkedKey(key, `keys[${index}]`)), subscriptions };
}

function checkedKey(key: unknown, path: string): NewApiKey {
  checkObject(key, path, KEY_FIELDS);
  try {
    return readKey(key as KeyOptions);
  } catch (error) {
    const [first = '', ...rest] = (error as Error).message.replace(/\.$/, '');
    throw new InputError(path, `can't be used: ${first.toLowerCase()}${rest.join('')}`);
  }
}

function rejectDuplicates(codes: readonly SeedCode[], field: 'id' | 'slug'): void {
  const firstIndexes = new Map<string, number>();
  codes.forEach((code, index) => {
    const value = code[field];
    if (value === undefined) return;
    const first = firstIndexes.get(value);
    if (first !== undefined)
      throw new InputError(`codes[${index}].${field}`, `is already used by codes[${first}]`);
    firstIndexes.set(value, index);
  });
}
