import type { Store } from '../store/index.ts';

/** A new slug that no code has: among 10,000 codes of one name, one in 20 emulators generates the same one twice. */
export function freeSlug(store: Store, name: string): string {
  const slug = store.ids.newSlug(name);
  return store.qrCodes.findBySlug(slug) === undefined ? slug : freeSlug(store, name);
}
