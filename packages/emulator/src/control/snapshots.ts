import { RecordNotFoundError } from '../domain/RecordNotFoundError.ts';
import type { TableCopy } from '../store/tableCopies.ts';

/** A saved state of the emulator. Only the emulator that saved it can restore it. */
export interface Snapshot {
  readonly id: string;
}

/** State of the emulator that lives in memory. */
interface Snapshotable {
  /** Remembers the state and returns a function that restores it. */
  save(): () => void;
}

/** The saved states of an emulator. */
export interface Snapshots {
  take(): Snapshot;
  /** @throws Error when the snapshot doesn't exist or was dropped */
  restore(snapshot: Snapshot): void;
  /** Restores the state at the time this was created. */
  reset(): void;
}

/** When there are more, the oldest snapshot is dropped. */
const MAX_SNAPSHOTS = 20;

interface Saved {
  tables: TableCopy;
  parts: (() => void)[];
}

/**
 * @param copyTables copies everything in the database
 * @param onRestore called once everything is restored
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
          `No snapshot with ID ${id} was found; the emulator keeps the latest ${MAX_SNAPSHOTS} while it runs.`,
        );
      restoreFrom(saved);
    },
    reset: () => restoreFrom(initialState),
  };
}
