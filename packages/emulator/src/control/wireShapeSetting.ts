import type { WireShape } from '../config/wireShape.ts';

/** The wire shape in use. It can be changed at any time. */
export interface WireShapeSetting {
  current: () => Required<WireShape>;
  set(shape: Required<WireShape>): void;
  /** Remembers the shape and returns a function that restores it. */
  save(): () => void;
}

export function createWireShapeSetting(initialShape: Required<WireShape>): WireShapeSetting {
  let current = initialShape;
  return {
    current: () => current,
    set(shape) {
      current = shape;
    },
    save() {
      const saved = current;
      return () => {
        current = saved;
      };
    },
  };
}
