import type { EventType, Scope } from '@qr-service/core';
import type { DeliveryFaultKind } from '../config/faults.ts';
import type { CODE_STATUSES, Dimension } from '../config/seed.ts';

// Everything that the emulator stores. Times are milliseconds since the epoch.

/** The workspace of every key of this emulator. */
export interface Workspace {
  id: string;
  name: string;
}

/** A stored key. Only the SHA-256 of its secret is stored. */
export interface ApiKey {
  id: string;
  name: string;
  scopes: readonly Scope[];
  expiresAt: number | null;
  revokedAt: number | null;
  /** Addresses or CIDR ranges; null allows every address. */
  allowedAddresses: readonly string[] | null;
}

/** A newly created key. */
export interface CreatedKey {
  id: string;
  /** The secret. It is returned only once. */
  apiKey: string;
}

/** A stored code. */
export interface QrRecord {
  id: string;
  name: string;
  slug: string;
  mode: string;
  contentType: string;
  targetUrl: string;
  status: (typeof CODE_STATUSES)[number];
  approvalState: string;
  folderId: string | null;
  /** Rounded down to the step that the emulator was started with. */
  updatedAt: number;
  /** The exact time. Unique for each write. */
  writtenAt: number;
}

/** A code to store. */
export type NewQrRecord = Omit<QrRecord, 'updatedAt' | 'writtenAt'>;

/** Details of a visit; null if unknown. */
export type Visit = Record<Dimension, string | null>;

/** A stored scan, without anything that identifies the visitor. */
export interface Scan {
  /** Sequence number in the history. */
  seq: number;
  id: string;
  qrId: string;
  scannedAt: number;
  visit: Visit;
}

/** A webhook subscription (docs/api.md#webhook-subscriptions). */
export interface Subscription {
  id: string;
  url: string;
  eventTypes: readonly EventType[];
  /** Signs its deliveries. */
  secret: string;
  createdAt: number;
}

/** `canceled`: its subscription was removed before it was delivered. */
export type DeliveryStatus = 'pending' | 'sending' | 'delivered' | 'failed' | 'canceled';

/** The delivery of an event to one subscription, with all its attempts. */
export interface Delivery {
  /** Sequence number in the history. */
  seq: number;
  id: string;
  eventId: string;
  eventType: string;
  subscriptionId: string;
  url: string;
  status: DeliveryStatus;
  /** Attempts since it was last queued. A redelivery starts at 0. */
  tries: number;
  nextAttemptAt: number;
  /** The bytes that are signed and sent. */
  body: string;
  /** In the order in which they were made. */
  attempts: readonly Attempt[];
}

/** One attempt to deliver an event. */
export interface Attempt {
  /** Counts from 1. */
  number: number;
  startedAt: number;
  durationMs: number;
  /** Status of the receiver's response; null if it didn't respond. */
  status: number | null;
  /** Why there was no response; null if there was one. */
  error: string | null;
  /** As they were sent. */
  headers: Record<string, string>;
  /** The injected fault; null for none. */
  fault: DeliveryFaultKind | null;
  /** The body that was sent if a fault changed it; otherwise null. */
  sentBody: string | null;
}

/** The first response to a request that carried an Idempotency-Key. */
export interface StoredResponse {
  /** Hash of the request's input. */
  fingerprint: string;
  status: number;
  /** JSON; null for none. */
  body: string | null;
}
