/**
 * Counts how often `use` accesses a value: property reads, `in` checks and key listings, at any depth.
 * Unlike elapsed time, the count is the same on every machine.
 */
export function countReads<Value>(value: Value, use: (watched: Value) => unknown): number {
  let count = 0;
  const watch = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    return new Proxy(part, {
      get(target, key) {
        count += 1;
        return watch(Reflect.get(target, key));
      },
      has(target, key) {
        count += 1;
        return Reflect.has(target, key);
      },
      ownKeys(target) {
        count += 1;
        return Reflect.ownKeys(target);
      },
      getOwnPropertyDescriptor(target, key) {
        count += 1;
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
    });
  };
  use(watch(value) as Value);
  return count;
}
