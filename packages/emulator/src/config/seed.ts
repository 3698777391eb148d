import type { EventType } from '@qr-service/core';
import type { KeyOptions } from './keyOptions.ts';
import type { Dimension } from './scanDimensions.ts';

/** States of a code. */
export const CODE_STATUSES = ['draft', 'published', 'archived'] as const;

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
