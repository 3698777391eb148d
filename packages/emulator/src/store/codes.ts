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

/** Where a walk begins. `since` is the start of a step of `updatedAt`. */
export function startOf(order: ListOrder, since: number, snapshot: number): WalkPlace {
  if (order === 'id') return { snapshot, since, from: '' };
  return { snapshot, since, from: order === 'ascending' ? since : snapshot };
}

/**
 * Codes and their previous versions (docs/api.md#qr-codes).
 *
 * Every write gets a higher `writtenAt` than all earlier writes. It is both the time of the write and its position in the
 * order, so a client that resumes from the highest one it has seen misses nothing. `updatedAt` is the start of its step.
 *
 * A walk returns each code once, as it was when the walk began. An edit moves the code to a position after the walk's
 * snapshot, which only a later walk returns, and leaves the previous version at its old position.
 *
 * @param stepMs step of `updatedAt`
 */
export function codeTable(database: Database, now: () => number, stepMs: number) {
  const stepOf = (time: number) => time - (time % stepMs);

  function written(): Pick<QrRecord, 'updatedAt' | 'writtenAt'> {
    const { state } = database;
    state.lastWrite = Math.max(now(), state.lastWrite + 1);
    return { updatedAt: stepOf(state.lastWrite), writtenAt: state.lastWrite };
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

  /**
   * A code's position in the order. Among codes that share their `updatedAt`, the last one written comes first when the
   * oldest come first, and the other way round, because a client must not rely on either.
   */
  function placeOf(order: ListOrder, { id, writtenAt }: QrRecord): number | string {
    if (order === 'id') return id;
    const turned = writtenAt - 2 * (writtenAt % stepMs);
    return order === 'ascending' ? turned + stepMs - 1 : turned;
  }

  return {
    insert(code: NewQrRecord): QrRecord {
      database.state.slugs.set(code.slug, code.id);
      return put({ ...code, ...written() });
    },
    update(before: QrRecord, changes: Partial<Pick<QrRecord, 'name' | 'targetUrl' | 'status'>>): QrRecord {
      const { history } = database.state;
      const code = { ...before, ...changes, ...written() };
      const oldest = now() - WALK_LIFETIME_MS;
      while ((history[0]?.supersededAt ?? oldest) < oldest) history.shift();
      history.push({ ...before, supersededAt: code.writtenAt });
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
      if (code.writtenAt <= at) return code;
      return history.find((old) => old.id === id && old.writtenAt <= at && at < old.supersededAt);
    },
    findBySlug(slug: string): QrRecord | undefined {
      const { codes, slugs } = database.state;
      return codes.get(slugs.get(slug) ?? '');
    },
    /** Snapshot for a walk that sees the codes of now, or of `lagMs` ago. Every later write comes after it. */
    snapshot,
    /** The first time of a write whose `updatedAt` isn't before this time. */
    firstWriteSince: (time: number): number => stepOf(time + stepMs - 1),
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
        .filter(({ writtenAt }) => writtenAt >= since && writtenAt <= at)
        .map((code) => ({ code, place: placeOf(order, code) }))
        .filter(({ place }) => compare(place, from) >= 0)
        .sort((one, other) => compare(one.place, other.place))
        .slice(0, count)
        .map(({ code }) => code);
    },
  };
}
