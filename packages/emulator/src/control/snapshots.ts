import { RecordNotFoundError } from '../domain/RecordNotFoundError.ts';
import type { TableCopy } from '../store/tableCopies.ts';

/** A moment to which the emulator can be put back; it means nothing outside the emulator that made it. */
export interface Snapshot {
  readonly id: string;
}

/** A part of the emulator that lives in memory. */
export interface Snapshotable {
  /** Remembers how the part is, and returns what makes it so again. */
  save(): () => void;
}

/** Moments to which the emulator can be put back. */
export interface Snapshots {
  take(): Snapshot;
  /** @throws Error when there is no such snapshot any more */
  restore(snapshot: Snapshot): void;
  /** Puts the emulator back to where it was when this was made. */
  reset(): void;
}

/** The oldest one makes way for the next. */
const MAX_SNAPSHOTS = 20;

interface Saved {
  tables: TableCopy;
  parts: (() => void)[];
}

/**
 * @param copyTables copies everything that the database holds
 * @param onRestore called when everything is put back
 */
export function createSnapshots(
  copyTables: () => TableCopy,
  parts: readonly Snapshotable[],
  onRestore: () => void,
): Snapshots {
  const kept = new Map<string, Saved>();
  let count = 0;
  const initialState = save();

  function save(): Saved {
    return { tables: copyTables(), parts: parts.map((part) => part.save()) };
  }

  function restoreFrom({ tables, parts: restoreParts }: Saved): void {
    tables.restore();
    for (const restorePart of restoreParts) restorePart();
    onRestore();
  }

  return {
    take() {
      const id = `snapshot_${++count}`;
      kept.set(id, save());
      const [oldest] = kept;
      if (kept.size > MAX_SNAPSHOTS && oldest !== undefined) {
        oldest[1].tables.drop();
        kept.delete(oldest[0]);
      }
      return { id };
    },
    restore({ id }) {
      const saved = kept.get(id);
      if (saved === undefined)
        throw new RecordNotFoundError(
          `There is no snapshot ${id}; the latest ${MAX_SNAPSHOTS} are kept while the emulator runs.`,
        );
      restoreFrom(saved);
    },
    reset: () => restoreFrom(initialState),
  };
}
