import type { ListOrder } from '../config/options.ts';
import type { NewQrRecord, QrRecord } from './records.ts';
import type { Database } from './state.ts';

/** A position in a walk. Times are milliseconds since the epoch. */
export type WalkPlace = {
  /** The walk returns the codes as they were at this time. */
  snapshot: number;
  /** Lowest `updatedAt` of the walk. */
  since: number;
  /** `updatedAt`, or id, of the first code of the page. */
  from: number | string;
};

/** How long a cursor stays valid. Previous versions of codes are kept as long. */
export const WALK_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** Where a walk begins. */
export function startOf(order: ListOrder, since: number, snapshot: number): WalkPlace {
  if (order === 'id') return { snapshot, since, from: '' };
  return { snapshot, since, from: order === 'ascending' ? since : snapshot };
}

/**
 * Codes and their previous versions (docs/api.md#qr-codes).
 *
 * Every write gets a higher `updatedAt` than all earlier writes, so a client that resumes from the highest one it has seen
 * misses nothing.
 *
 * A walk returns each code once, as it was when the walk began. An edit moves the code to a position after the walk's
 * snapshot, which only a later walk returns, and leaves the previous version at its old position.
 */
export function codeTable(database: Database, now: () => number) {
  function nextWrite(): number {
    const { state } = database;
    state.lastWrite = Math.max(now(), state.lastWrite + 1);
    return state.lastWrite;
  }

  function put(code: QrRecord): QrRecord {
    database.state.codes.set(code.id, code);
    return code;
  }

  function snapshot(lagMs = 0): number {
    const { state } = database;
    const at = Math.max(now(), state.lastWrite) - lagMs;
    state.lastWrite = Math.max(state.lastWrite, at);
    return at;
  }

  /** A code's position in the order. */
  const placeOf = (order: ListOrder, { id, updatedAt }: QrRecord) => (order === 'id' ? id : updatedAt);

  return {
    insert(code: NewQrRecord): QrRecord {
      database.state.slugs.set(code.slug, code.id);
      return put({ ...code, updatedAt: nextWrite() });
    },
    update(before: QrRecord, changes: Partial<Pick<QrRecord, 'name' | 'targetUrl' | 'status'>>): QrRecord {
      const { history } = database.state;
      const code = { ...before, ...changes, updatedAt: nextWrite() };
      const oldest = now() - WALK_LIFETIME_MS;
      while ((history[0]?.supersededAt ?? oldest) < oldest) history.shift();
      history.push({ ...before, supersededAt: code.updatedAt });
      return put(code);
    },
    /** Deletes a code permanently, even from walks in progress. */
    remove(id: string): void {
      const { state } = database;
      state.slugs.delete(state.codes.get(id)?.slug ?? '');
      state.history = state.history.filter((old) => old.id !== id);
      state.codes.delete(id);
    },
    /** A code, or what it was this many milliseconds ago. */
    find(id: string, lagMs = 0): QrRecord | undefined {
      const { codes, history } = database.state;
      const code = codes.get(id);
      if (lagMs === 0 || code === undefined) return code;
      const at = snapshot(lagMs);
      if (code.updatedAt <= at) return code;
      return history.find((old) => old.id === id && old.updatedAt <= at && at < old.supersededAt);
    },
    findBySlug(slug: string): QrRecord | undefined {
      const { codes, slugs } = database.state;
      return codes.get(slugs.get(slug) ?? '');
    },
    /** Snapshot for a walk that sees the codes of now, or of `lagMs` ago. Every later write comes after it. */
    snapshot,
    placeOf,
    /** One page of a walk. */
    walk(order: ListOrder, { snapshot: at, since, from, count }: WalkPlace & { count: number }): QrRecord[] {
      const { codes, history } = database.state;
      const sign = order === 'descending' ? -1 : 1;
      const compare = (one: number | string, other: number | string) => {
        if (one === other) return 0;
        return one < other ? -sign : sign;
      };
      return [...codes.values(), ...history.filter(({ supersededAt }) => supersededAt > at)]
        .filter(({ updatedAt }) => updatedAt >= since && updatedAt <= at)
        .map((code) => ({ code, place: placeOf(order, code) }))
        .filter(({ place }) => compare(place, from) >= 0)
        .sort((one, other) => compare(one.place, other.place))
        .slice(0, count)
        .map(({ code }) => code);
    },
  };
}
