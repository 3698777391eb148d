import type { Database } from '../store/state.ts';
import { RecordNotFoundError } from '../validation/input.ts';

/** A saved state of the emulator. Only the emulator that saved it can restore it. */
export interface Snapshot {
  readonly id: string;
}

/** When there are more, the oldest snapshot is dropped. */
const MAX_SNAPSHOTS = 20;

/** Keeps copies of the database. @param onRestore called when one is restored */
export function createSnapshots(database: Database, onRestore: () => void) {
  const kept = new Map<string, Database>();
  const initial = structuredClone(database);
  let count = 0;

  function restore(saved: Database): void {
    Object.assign(database, structuredClone(saved));
    onRestore();
  }

  return {
    take(): Snapshot {
      const id = `snapshot_${++count}`;
      kept.set(id, structuredClone(database));
      const [oldest] = kept.keys();
      if (kept.size > MAX_SNAPSHOTS && oldest !== undefined) kept.delete(oldest);
      return { id };
    },
    /** @throws RecordNotFoundError when the snapshot doesn't exist or was dropped */
    restore({ id }: Snapshot): void {
      const saved = kept.get(id);
      if (saved === undefined)
        throw new RecordNotFoundError(
          `No snapshot with ID ${id} was found; the emulator keeps the latest ${MAX_SNAPSHOTS} while it runs.`,
        );
      restore(saved);
    },
    /** Restores the state at the time this was created. */
    reset: () => restore(initial),
  };
}
