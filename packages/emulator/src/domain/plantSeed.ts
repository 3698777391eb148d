import type { CompleteSeed } from '../config/seed.ts';
import type { Store } from '../store/index.ts';
import { freeSlug } from './codes.ts';

/** Stores a seed without firing events. */
export function plantSeed(
  store: Store,
  { codes, keys, subscriptions }: CompleteSeed,
  now: () => number,
): void {
  for (const key of keys) store.apiKeys.create(key);
  for (const { url, eventTypes, secret } of subscriptions)
    store.subscriptions.create(url, eventTypes, now(), secret);
  const scans = codes.flatMap(({ scans: planted, id, slug, ...code }) => {
    const stored = store.qrCodes.insert({
      id: id ?? store.ids.newId('qr'),
      slug: slug ?? freeSlug(store, code.name),
      mode: 'dynamic',
      contentType: 'url',
      ...code,
    });
    return planted.map((scan) => ({ qrId: stored.id, ...scan }));
  });
  scans.sort((one, other) => one.scannedAt - other.scannedAt);
  for (const { qrId, scannedAt, ...visit } of scans) store.scans.record(qrId, scannedAt, visit);
}
