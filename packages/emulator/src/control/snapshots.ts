import { RecordNotFoundError } from '../validation/input.ts';

/** A saved state of the emulator. Only the emulator that saved it can restore it. */
export interface Snapshot {
  readonly id: string;
}

/** A part of the emulator's state. */
interface Snapshotable {
  /** Remembers the state and returns a function that restores it. */
  save(): () => void;
}

/** The saved states of an emulator. */
export type Snapshots = ReturnType<typeof createSnapshots>;

/** When there are more, the oldest snapshot is dropped. */
const MAX_SNAPSHOTS = 20;

/** @param onRestore called once every part is restored */
export function createSnapshots(parts: readonly Snapshotable[], onRestore: () => void) {
  const kept = new Map<string, () => void>();
  let count = 0;
  const restoreInitial = save();

  function save(): () => void {
    const restoreParts = parts.map((part) => part.save());
    return () => {
      for (const restorePart of restoreParts) restorePart();
      onRestore();
    };
  }

  return {
    take(): Snapshot {
      const id = `snapshot_${++count}`;
      kept.set(id, save());
      const [oldest] = kept.keys();
      if (kept.size > MAX_SNAPSHOTS && oldest !== undefined) kept.delete(oldest);
      return { id };
    },
    /** @throws Error when the snapshot doesn't exist or was dropped */
    restore({ id }: Snapshot): void {
      const restoreSaved = kept.get(id);
      if (restoreSaved === undefined)
        throw new RecordNotFoundError(
          `No snapshot with ID ${id} was found; the emulator keeps the latest ${MAX_SNAPSHOTS} while it runs.`,
        );
      restoreSaved();
    },
    /** Restores the state at the time this was created. */
    reset: restoreInitial,
  };
}

/** A value that can be changed while the emulator runs. */
export interface Changeable<Value> extends Snapshotable {
  current: () => Value;
  set(value: Value): void;
}

/** Creates a changeable value. */
export function changeable<Value>(initial: Value): Changeable<Value> {
  let current = initial;
  return {
    current: () => current,
    set(value) {
      current = value;
    },
    save() {
      const saved = current;
      return () => {
        current = saved;
      };
    },
  };
}
