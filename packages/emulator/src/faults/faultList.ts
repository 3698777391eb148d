import { isInteger } from '../validation/checks.ts';
import { field } from '../validation/input.ts';

/** How often a fault applies. JSON has no Infinity, so null stands for it. */
export const TIMES = field<number | null>((value) =>
  value === null || value === Infinity ? undefined : isInteger(1, 1e9)(value),
);

/** Creates an empty list of faults. Those with a limited number of times apply before those that last until cleared. */
export function createFaultList<Fault extends { times?: number | null | undefined }>() {
  let list: { fault: Fault; left: number }[] = [];
  return {
    add(fault: Fault): void {
      const left = fault.times === null ? Infinity : (fault.times ?? 1);
      const lasting = list.findIndex((active) => active.left === Infinity);
      const place = left === Infinity || lasting === -1 ? list.length : lasting;
      list.splice(place, 0, { fault, left });
    },
    /** Uses up and returns the first fault that applies. */
    take(applies: (fault: Fault) => boolean): Fault | undefined {
      const next = list.find(({ fault }) => applies(fault));
      if (next === undefined) return undefined;
      next.left -= 1;
      if (next.left === 0) list = list.filter((active) => active !== next);
      return next.fault;
    },
    clear(): void {
      list = [];
    },
    /** Remembers the active faults and returns a function that restores them. */
    save() {
      const saved = list.map((active) => ({ ...active }));
      return () => {
        list = saved.map((active) => ({ ...active }));
      };
    },
  };
}
