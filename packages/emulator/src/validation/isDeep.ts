/** More than real data needs. Indented JSON grows with the square of its depth. */
const MAX_LEVELS = 100;

/** Whether a value is nested too deeply to be serialized in reasonable time. */
export function isDeep(value: unknown, levels: number = MAX_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeep(inner, levels - 1));
}
