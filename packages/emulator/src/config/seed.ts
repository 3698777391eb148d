import { SCOPES, type EventType } from '@qr-service/core';
import type { z } from 'zod';
import {
  isAbsoluteUrl,
  isAddress,
  isDateTime,
  isEventTypeList,
  isMatch,
  isText,
  isWebhookUrl,
  nullable,
  readTime,
} from '../validation/checks.ts';
import { field, fields, list, oneOf, readInput, text } from '../validation/input.ts';

/** States of a code. */
export const CODE_STATUSES = ['draft', 'published', 'archived'] as const;

/** Fields that describe the visit in a scan. The workspace's privacy settings allow or omit each one. */
export const DIMENSIONS = ['country', 'device', 'os', 'browser', 'referrer'] as const;

/** One of the scan dimensions. */
export type Dimension = (typeof DIMENSIONS)[number];

const nullableText = field<string | null>(nullable(isText(200))).optional();

/** The secret of an API key. */
export const API_KEY = field<string>(
  isMatch(/^[\x21-\x7e]{1,500}$/, 'can contain only printable ASCII characters, without spaces'),
);

/** A key to create. */
export const KEY = fields({
  name: text(200).optional(),
  /** Default: all. */
  scopes: list(oneOf(SCOPES)).optional(),
  /** ISO 8601, milliseconds since the epoch or a Date. Default: never. */
  expiresAt: field<string | number | Date>(isDateTime).optional(),
  /** IP addresses or CIDR ranges that may use the key, for example `10.0.0.0/8`. Default: all. */
  allowedAddresses: list(field<string>(isAddress)).optional(),
  /** The secret itself. Default: a random one. */
  apiKey: API_KEY.optional(),
});

const SCAN = fields({
  /** ISO 8601, or milliseconds since the epoch. */
  scannedAt: field<string | number>(isDateTime),
  country: nullableText,
  device: nullableText,
  os: nullableText,
  browser: nullableText,
  referrer: nullableText,
});

const CODE = fields({
  name: text(200),
  targetUrl: field<string>(isAbsoluteUrl),
  id: field<string>(
    isMatch(/^[\w-]{1,80}$/, 'must be at most 80 letters, digits, underscores and hyphens'),
  ).optional(),
  slug: field<string>(
    isMatch(/^[a-z0-9-]{1,80}$/, 'must be at most 80 lowercase letters, digits and hyphens'),
  ).optional(),
  /** Default `draft`. */
  status: oneOf(CODE_STATUSES).optional(),
  /** Default `not_required`. */
  approvalState: text(80).optional(),
  folderId: nullableText,
  scans: list(SCAN).optional(),
});

const SUBSCRIPTION = fields({
  url: field<string>(isWebhookUrl),
  /** Default: all events. */
  eventTypes: field<readonly EventType[]>(isEventTypeList).optional(),
  /** Default: a new one. */
  secret: text(200).optional(),
});

const SEED = fields({
  codes: list(CODE).superRefine(refuseDuplicates).optional(),
  keys: list(KEY).optional(),
  subscriptions: list(SUBSCRIPTION).optional(),
});

/** The initial data of an emulator. */
export type Seed = z.infer<typeof SEED>;
/** An initial code. Missing fields are generated as for a new code. */
export type SeedCode = z.infer<typeof CODE>;
/** An initial scan. Missing dimensions are unknown. */
export type SeedScan = z.infer<typeof SCAN>;
/** An API key to create. */
export type KeyOptions = z.infer<typeof KEY>;
/** A seed without gaps. */
export type CompleteSeed = ReturnType<typeof readSeed>;
/** A key to create, complete. */
export type NewApiKey = ReturnType<typeof readKey>;

/**
 * Checks a seed.
 * @throws InputError for the first invalid part, with its path
 */
export function readSeed(seed: unknown) {
  const { codes = [], keys = [], subscriptions = [] } = readInput(SEED, seed);
  return { codes, keys, subscriptions };
}

/**
 * Checks a key's options and adds the defaults.
 * @throws InputError for an invalid scope, expiry, address or secret
 */
export function readKey(options: KeyOptions) {
  const {
    name = 'Key',
    scopes = SCOPES,
    expiresAt,
    allowedAddresses = null,
    apiKey,
  } = readInput(KEY, options);
  const expiry = expiresAt === undefined ? null : readTime(expiresAt);
  return { name, scopes, expiresAt: expiry, allowedAddresses, apiKey };
}

function refuseDuplicates(codes: readonly SeedCode[], ctx: z.RefinementCtx): void {
  for (const name of ['id', 'slug'] as const) {
    const values = codes.map((code) => code[name]);
    values.forEach((value, index) => {
      const first = values.indexOf(value);
      if (value === undefined || first === index) return;
      ctx.addIssue({ code: 'custom', path: [index, name], message: `is already used by codes[${first}]` });
    });
  }
}
