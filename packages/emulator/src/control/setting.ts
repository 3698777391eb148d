/** A value that can be changed while the emulator runs. */
export interface Setting<Value> {
  current: () => Value;
  set(value: Value): void;
  /** Remembers the value and returns a function that restores it. */
  save(): () => void;
}

export function createSetting<Value>(initial: Value): Setting<Value> {
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
