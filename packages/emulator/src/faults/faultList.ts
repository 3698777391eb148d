import { isInteger, type FieldCheck } from '../validation/checks.ts';

/** Checks for how often a fault applies. JSON has no Infinity, so null stands for it. */
export const isTimes: FieldCheck = (value) =>
  value === null || value === Infinity ? undefined : isInteger(1, 1e9)(value);

/** Active faults. Those with a limited number of times apply before those that last until cleared. */
export interface FaultList<Fault> {
  add(fault: Fault): void;
  /** Uses up and returns the first fault that applies. */
  take(applies: (fault: Fault) => boolean): Fault | undefined;
  /** Clears all faults. */
  clear(): void;
  /** Remembers the active faults and returns a function that restores them. */
  save(): () => void;
}

/** Creates an empty list. */
export function createFaultList<Fault extends { times?: number | null }>(): FaultList<Fault> {
  let list: { fault: Fault; left: number }[] = [];
  return {
    add(fault) {
      const left = fault.times === null ? Infinity : (fault.times ?? 1);
      const lasting = list.findIndex((active) => active.left === Infinity);
      const place = left === Infinity || lasting === -1 ? list.length : lasting;
      list.splice(place, 0, { fault, left });
    },
    take(applies) {
      const next = list.find(({ fault }) => applies(fault));
      if (next === undefined) return undefined;
      next.left -= 1;
      if (next.left === 0) list = list.filter((active) => active !== next);
      return next.fault;
    },
    clear() {
      list = [];
    },
    save() {
      const saved = list.map((active) => ({ ...active }));
      return () => {
        list = saved.map((active) => ({ ...active }));
      };
    },
  };
}
