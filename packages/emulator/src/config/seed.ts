import type { EventType } from '@qr-service/core';
import type { KeyOptions } from './keyOptions.ts';
import type { Dimension } from './scanDimensions.ts';

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
  status?: 'draft' | 'published' | 'archived';
  /** Default `not_required`. */
  approvalState?: string;
  folderId?: string | null;
  scans?: readonly SeedScan[];
}

/** A scan to begin with. Dimensions that are not given are unknown. */
export interface SeedScan extends Partial<Record<Dimension, string | null>> {
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
