import { EVENT_TYPES } from '@qr-service/core';
import { DIMENSIONS, readKey, type SeedCode, type SeedScan, type CompleteSeed } from '../config/seed.ts';
import type { Store } from '../store/index.ts';
import type { QrRecord, Visit } from '../store/records.ts';
import { readTime } from '../validation/checks.ts';
import { freeSlug } from './codes.ts';

/** Stores a seed without firing events. */
export function plantSeed(
  store: Store,
  { codes, keys, subscriptions }: CompleteSeed,
  now: () => number,
): void {
  for (const key of keys) store.apiKeys.create(readKey(key));
  for (const { url, eventTypes = EVENT_TYPES, secret } of subscriptions)
    store.subscriptions.create(url, eventTypes, now(), secret);
  const scans = codes.flatMap((code) => {
    const { id } = plantCode(store, code);
    return (code.scans ?? []).map((scan) => ({ id, at: readTime(scan.scannedAt), visit: visitOf(scan) }));
  });
  scans.sort((one, other) => one.at - other.at);
  for (const { id, at, visit } of scans) store.scans.record(id, at, visit);
}

function plantCode(store: Store, code: SeedCode): QrRecord {
  const { name, targetUrl, status = 'draft', approvalState = 'not_required', folderId = null } = code;
  return store.qrCodes.insert({
    id: code.id ?? store.ids.newId('qr'),
    slug: code.slug ?? freeSlug(store, name),
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
  return Object.fromEntries(DIMENSIONS.map((dimension) => [dimension, scan[dimension] ?? null])) as Visit;
}
