import { SCOPES, type EventType, type Scope } from '@qr-service/core';
import type { z } from 'zod';
import {
  isAbsoluteUrl,
  isAddress,
  isDateTime,
  isEventTypeList,
  isMatch,
  isOneOf,
  isText,
  isWebhookUrl,
  nullable,
  readTime,
} from '../validation/checks.ts';
import { field, fields, list, readInput } from '../validation/input.ts';

/** States of a code. */
export const CODE_STATUSES = ['draft', 'published', 'archived'] as const;

/** Fields that describe the visit in a scan. The workspace's privacy settings allow or omit each one. */
export const DIMENSIONS = ['country', 'device', 'os', 'browser', 'referrer'] as const;

/** One of the scan dimensions. */
export type Dimension = (typeof DIMENSIONS)[number];

/** The initial data of an emulator. */
export interface Seed {
  codes?: readonly SeedCode[];
  keys?: readonly KeyOptions[];
  subscriptions?: readonly SeedSubscription[];
}

/** An initial code. Missing fields are generated as for a new code. */
export interface SeedCode {
  name: string;
  targetUrl: string;
  id?: string;
  slug?: string;
  /** Default `draft`. */
  status?: (typeof CODE_STATUSES)[number];
  /** Default `not_required`. */
  approvalState?: string;
  folderId?: string | null;
  scans?: readonly SeedScan[];
}

/** An initial scan. Missing dimensions are unknown. */
export interface SeedScan extends Partial<Record<Dimension, string | null>> {
  /** ISO 8601, or milliseconds since the epoch. */
  scannedAt: string | number;
}

/** An initial subscription. */
export interface SeedSubscription {
  url: string;
  /** Default: all events. */
  eventTypes?: readonly EventType[];
  /** Default: a new one. */
  secret?: string;
}

/** An API key to create. */
export interface KeyOptions {
  name?: string;
  /** Default: all. */
  scopes?: readonly Scope[];
  /** ISO 8601, milliseconds since the epoch or a Date. Default: never. */
  expiresAt?: string | number | Date;
  /** IP addresses or CIDR ranges that may use the key, for example `10.0.0.0/8`. Default: all. */
  allowedAddresses?: readonly string[];
  /** The secret itself. Default: a random one. */
  apiKey?: string;
}

/** A key to create, complete. */
export interface NewApiKey {
  name: string;
  scopes: readonly Scope[];
  expiresAt: number | null;
  allowedAddresses: readonly string[] | null;
  /** The secret. Default: a random one. */
  apiKey?: string | undefined;
}

/** A valid seed. */
export interface CheckedSeed {
  codes: readonly SeedCode[];
  keys: readonly NewApiKey[];
  subscriptions: readonly SeedSubscription[];
}

const text = (max: number) => field<string>(isText(max));

/** The secret of an API key. */
export const API_KEY = field<string>(
  isMatch(/^[\x21-\x7e]{1,500}$/, 'can contain only printable ASCII characters, without spaces'),
);

/** A key to create. */
export const KEY = fields({
  name: text(200).optional(),
  scopes: list(field<Scope>(isOneOf(SCOPES))).optional(),
  expiresAt: field<string | number | Date>(isDateTime).optional(),
  allowedAddresses: list(field<string>(isAddress)).optional(),
  apiKey: API_KEY.optional(),
});

const SCAN = fields({
  scannedAt: field(isDateTime),
  ...Object.fromEntries(DIMENSIONS.map((name) => [name, field(nullable(isText(200))).optional()])),
});
const CODE = fields({
  name: text(200),
  targetUrl: field(isAbsoluteUrl),
  id: field<string>(
    isMatch(/^[\w-]{1,80}$/, 'must be at most 80 letters, digits, underscores and hyphens'),
  ).optional(),
  slug: field<string>(
    isMatch(/^[a-z0-9-]{1,80}$/, 'must be at most 80 lowercase letters, digits and hyphens'),
  ).optional(),
  status: field(isOneOf(CODE_STATUSES)).optional(),
  approvalState: text(80).optional(),
  folderId: field(nullable(isText(200))).optional(),
  scans: list(SCAN).optional(),
});
const SUBSCRIPTION = fields({
  url: field(isWebhookUrl),
  eventTypes: field(isEventTypeList).optional(),
  secret: text(200).optional(),
});
const SEED = fields({
  codes: list(CODE).superRefine(refuseDuplicates).optional(),
  keys: list(KEY).optional(),
  subscriptions: list(SUBSCRIPTION).optional(),
});

/**
 * Checks a seed.
 * @throws InputError for the first invalid part, with its path
 */
export function readSeed(seed: unknown): CheckedSeed {
  const { codes = [], keys = [], subscriptions = [] } = readInput(SEED, seed) as Seed;
  return { codes, keys: keys.map(completeKey), subscriptions };
}

/**
 * Checks a key's options and adds the defaults.
 * @throws InputError for an invalid scope, expiry, address or secret
 */
export function readKey(options: KeyOptions): NewApiKey {
  return completeKey(readInput(KEY, options) as KeyOptions);
}

function completeKey(options: KeyOptions): NewApiKey {
  const { name = 'Key', scopes = SCOPES, expiresAt, allowedAddresses = null, apiKey } = options;
  const expiry = expiresAt === undefined ? null : readTime(expiresAt);
  return { name, scopes, expiresAt: expiry, allowedAddresses, apiKey };
}

function refuseDuplicates(
  codes: { id?: string | undefined; slug?: string | undefined }[],
  ctx: z.RefinementCtx,
): void {
  for (const name of ['id', 'slug'] as const) {
    const firstIndexes = new Map<string, number>();
    codes.forEach(({ [name]: value }, index) => {
      if (value === undefined) return;
      const first = firstIndexes.get(value);
      if (first === undefined) firstIndexes.set(value, index);
      else
        ctx.addIssue({ code: 'custom', path: [index, name], message: `is already used by codes[${first}]` });
    });
  }
}
