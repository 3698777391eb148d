/** A fault that is set. */
export interface SetFault<Fault> {
  /** For clearing it. */
  id: number;
  fault: Fault;
  /** How often it still applies; Infinity until it is cleared. */
  left: number;
}

/** Faults that are set. Those that apply a number of times come before those that last until cleared. */
export interface FaultList<Fault> {
  /** Sets a fault and returns its id, for clearing it. */
  add(fault: Fault): number;
  /** Uses up and returns the first fault that applies. */
  take(applies: (fault: Fault) => boolean): Fault | undefined;
  /** In the order in which they apply. */
  all(): SetFault<Fault>[];
  /** Clears one, or all. Returns whether there was any. */
  clear(id?: number): boolean;
  /** Remembers what is set and returns a function that restores it. */
  save(): () => void;
}

/** @throws TypeError from `add`, for an invalid `times` */
export function createFaultList<Fault extends { times?: number }>(): FaultList<Fault> {
  let list: SetFault<Fault>[] = [];
  let lastId = 0;
  return {
    add(fault) {
      const left = fault.times ?? 1;
      if (left !== Infinity && !(Number.isInteger(left) && left > 0))
        throw new TypeError('times must be a whole number from 1, or Infinity.');
      const lasting = list.findIndex((set) => set.left === Infinity);
      const place = left === Infinity || lasting === -1 ? list.length : lasting;
      list.splice(place, 0, { id: ++lastId, fault, left });
      return lastId;
    },
    take(applies) {
      if (list.length === 0) return undefined;
      const next = list.find(({ fault }) => applies(fault));
      if (next === undefined) return undefined;
      next.left -= 1;
      if (next.left === 0) list = list.filter((set) => set !== next);
      return next.fault;
    },
    all: () => list.map((set) => ({ ...set })),
    clear(id) {
      const before = list.length;
      list = id === undefined ? [] : list.filter((set) => set.id !== id);
      return list.length < before;
    },
    save() {
      const saved = list.map((set) => ({ ...set }));
      return () => {
        list = saved.map((set) => ({ ...set }));
      };
    },
  };
}
