import { createHash } from 'node:crypto';
import type { EventType } from '@qr-service/core';
import { LIMITS } from '@qr-service/core/connector';
import type { NewApiKey } from '../config/seed.ts';
import { codeTable } from './codes.ts';
import { deliveryTable } from './deliveries.ts';
import { createIds, type Ids } from './ids.ts';
import type { ApiKey, CreatedKey, Scan, StoredResponse, Subscription, Visit } from './records.ts';
import type { Database } from './state.ts';

const REPLAY_LIFETIME_MS = LIMITS.idempotencyHours * 60 * 60 * 1000;

/** Everything that the emulator stores. */
export type Store = ReturnType<typeof createStore>;

/** @param options `idSeed` makes the ids reproducible; `updatedAtStepMs` is the step of the codes' `updatedAt` */
export function createStore(
  database: Database,
  now: () => number,
  { idSeed, updatedAtStepMs }: { idSeed?: string | undefined; updatedAtStepMs: number },
) {
  const ids = createIds(database, idSeed);
  const deliveries = deliveryTable(database, ids);
  const subscriptions = subscriptionTable(database, ids, deliveries);
  database.state.workspace.id ||= ids.newId('ws');
  return {
    ids,
    workspace: database.state.workspace,
    apiKeys: apiKeyTable(database, ids),
    qrCodes: codeTable(database, now, updatedAtStepMs),
    scans: scanTable(database, ids),
    subscriptions,
    deliveries,
    idempotency: idempotencyTable(database, now),
    counts: () => ({
      codes: database.state.codes.size,
      subscriptions: subscriptions.active().length,
      deliveries: database.state.deliveries.size,
    }),
  };
}

/** Keys (docs/api.md#authentication). */
function apiKeyTable(database: Database, ids: Ids) {
  const hash = (apiKey: string) => createHash('sha256').update(apiKey).digest('hex');
  return {
    /** Adds a key and returns its secret, which can't be read again. If the secret exists, updates its settings. */
    create({ apiKey = ids.newSecret('qrs'), ...options }: NewApiKey): CreatedKey {
      const { apiKeys } = database.state;
      const id = apiKeys.get(hash(apiKey))?.id ?? ids.newId('key');
      apiKeys.set(hash(apiKey), { id, ...options, revokedAt: null });
      return { id, apiKey };
    },
    /** The key with this secret, even if it is revoked or expired. */
    find: (apiKey: string): ApiKey | undefined => database.state.apiKeys.get(hash(apiKey)),
    /** Returns whether an active key had this ID. */
    revoke(id: string, at: number): boolean {
      const keys = [...database.state.apiKeys.values()];
      const key = keys.find((each) => each.id === id && each.revokedAt === null);
      if (key === undefined) return false;
      key.revokedAt = at;
      return true;
    },
  };
}

/** Scan history (docs/api.md#scans). */
function scanTable(database: Database, ids: Ids) {
  return {
    record(qrId: string, scannedAt: number, visit: Visit): void {
      const { scans } = database.state;
      scans.push({ seq: (scans.at(-1)?.seq ?? 0) + 1, id: ids.newId('scan'), qrId, scannedAt, visit });
    },
    /** Scans in the order in which they happened, up to the first one after `until`, so that a cursor skips none. */
    walk({ after, since, until, count }: Record<'after' | 'since' | 'until' | 'count', number>): Scan[] {
      const { scans } = database.state;
      const end = scans.findIndex(({ scannedAt }) => scannedAt > until);
      return (end === -1 ? scans : scans.slice(0, end))
        .filter(({ seq, scannedAt }) => seq > after && scannedAt >= since)
        .slice(0, count);
    },
  };
}

/** Webhook subscriptions. */
function subscriptionTable(database: Database, ids: Ids, deliveries: ReturnType<typeof deliveryTable>) {
  const all = () => database.state.subscriptions;
  return {
    create(
      url: string,
      eventTypes: readonly EventType[],
      createdAt: number,
      secret = ids.newSecret('whsec'),
    ): Subscription {
      const subscription = { id: ids.newId('whk'), url, eventTypes, secret, createdAt };
      all().set(subscription.id, subscription);
      return subscription;
    },
    /** Removes a subscription and cancels its pending deliveries. Returns whether it was active. */
    remove(id: string, at: number): boolean {
      const found = all().get(id);
      if (found === undefined || found.removedAt !== undefined) return false;
      found.removedAt = at;
      deliveries.cancel(id);
      return true;
    },
    isRemoved: (id: string): boolean => all().get(id)?.removedAt !== undefined,
    /** Finds removed subscriptions, too. */
    find: (id: string): Subscription | undefined => all().get(id),
    /** Subscriptions that aren't removed, oldest first. */
    active: (): Subscription[] => [...all().values()].filter(({ removedAt }) => removedAt === undefined),
  };
}

/** Responses for replay, by API key and Idempotency-Key (docs/api.md#idempotency). */
function idempotencyTable(database: Database, now: () => number) {
  const isExpired = ({ createdAt }: { createdAt: number }) => createdAt <= now() - REPLAY_LIFETIME_MS;
  return {
    find(slot: string): StoredResponse | undefined {
      const found = database.state.idempotency.get(slot);
      return found === undefined || isExpired(found) ? undefined : found;
    },
    save(slot: string, response: StoredResponse): void {
      const { idempotency } = database.state;
      for (const [oldest, stored] of idempotency) {
        if (!isExpired(stored)) break;
        idempotency.delete(oldest);
      }
      idempotency.set(slot, { ...response, createdAt: now() });
    },
  };
}
