/** An active fault. */
export interface SetFault<Fault> {
  /** Identifies the fault when clearing it. */
  id: number;
  fault: Fault;
  /** Number of times it still applies, or Infinity until it is cleared. */
  left: number;
}

/** Active faults. Those with a limited number of times apply before those that last until cleared. */
export interface FaultList<Fault> {
  /** Adds a fault and returns its ID. */
  add(fault: Fault): number;
  /** Uses up and returns the first fault that applies. */
  take(applies: (fault: Fault) => boolean): Fault | undefined;
  /** In the order in which they apply. */
  all(): SetFault<Fault>[];
  /** Clears one fault, or all. Returns whether any was cleared. */
  clear(id?: number): boolean;
  /** Remembers the active faults and returns a function that restores them. */
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
        throw new TypeError('times must be a positive whole number or Infinity.');
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
