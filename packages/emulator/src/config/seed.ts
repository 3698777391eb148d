import { EVENT_TYPES, SCOPES } from '@qr-service/core';
import type { z } from 'zod';
import {
  ABSOLUTE_URL,
  ADDRESS,
  EVENT_TYPE_LIST,
  matching,
  oneOf,
  readTime,
  text,
  TIME,
  WEBHOOK_URL,
} from '../validation/checks.ts';
import { fields, list } from '../validation/input.ts';

/** States of a code. */
export const CODE_STATUSES = ['draft', 'published', 'archived'] as const;

/** Fields that describe the visit in a scan. The workspace's privacy settings allow or omit each one. */
export const DIMENSIONS = ['country', 'device', 'os', 'browser', 'referrer'] as const;

/** One of the scan dimensions. */
export type Dimension = (typeof DIMENSIONS)[number];

const optionalText = text(200).nullable().default(null);

/** The secret of an API key. */
export const API_KEY = matching(
  /^[\x21-\x7e]{1,500}$/,
  'can contain only printable ASCII characters, without spaces',
);

/** A key to create. */
export const KEY = fields({
  name: text(200).default('Key'),
  /** Default: all. */
  scopes: list(oneOf(SCOPES)).default(SCOPES),
  /** ISO 8601, milliseconds since the epoch or a Date. Default: never. */
  expiresAt: TIME.transform(readTime).nullable().default(null),
  /** IP addresses or CIDR ranges that may use the key, for example `10.0.0.0/8`. Default: all. */
  allowedAddresses: list(ADDRESS).nullable().default(null),
  /** The secret itself. Default: a random one. */
  apiKey: API_KEY.optional(),
});

const SCAN = fields({
  /** ISO 8601, or milliseconds since the epoch. */
  scannedAt: TIME.transform(readTime),
  country: optionalText,
  device: optionalText,
  os: optionalText,
  browser: optionalText,
  referrer: optionalText,
});

const CODE = fields({
  name: text(200),
  targetUrl: ABSOLUTE_URL,
  id: matching(/^[\w-]{1,80}$/, 'must be at most 80 letters, digits, underscores and hyphens').optional(),
  slug: matching(/^[a-z0-9-]{1,80}$/, 'must be at most 80 lowercase letters, digits and hyphens').optional(),
  /** Default `draft`. */
  status: oneOf(CODE_STATUSES).default('draft'),
  /** Default `not_required`. */
  approvalState: text(80).default('not_required'),
  folderId: optionalText,
  scans: list(SCAN).default([]),
});

const SUBSCRIPTION = fields({
  url: WEBHOOK_URL,
  /** Default: all events. */
  eventTypes: EVENT_TYPE_LIST.default(EVENT_TYPES),
  /** Default: a new one. */
  secret: text(200).optional(),
});

/** The initial data of an emulator, for checking external input. */
export const SEED = fields({
  codes: list(CODE).superRefine(refuseDuplicates).default([]),
  keys: list(KEY).default([]),
  subscriptions: list(SUBSCRIPTION).default([]),
});

/** The initial data of an emulator. Missing fields are generated as for a new code; missing dimensions are unknown. */
export type Seed = z.input<typeof SEED>;
/** A seed without gaps. */
export type CompleteSeed = z.output<typeof SEED>;
/** An API key to create. */
export type KeyOptions = z.input<typeof KEY>;
/** A key to create, complete. */
export type NewApiKey = z.output<typeof KEY>;

function refuseDuplicates(codes: readonly z.output<typeof CODE>[], ctx: z.RefinementCtx): void {
  for (const name of ['id', 'slug'] as const) {
    const values = codes.map((code) => code[name]);
    values.forEach((value, index) => {
      const first = values.indexOf(value);
      if (value === undefined || first === index) return;
      ctx.addIssue({ code: 'custom', path: [index, name], message: `is already used by codes[${first}]` });
    });
  }
}
