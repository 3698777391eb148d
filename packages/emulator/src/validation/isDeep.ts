/** More than anybody needs. Indented JSON grows with the square of its levels. */
const MAX_LEVELS = 100;

/** Whether a value is nested so deeply that writing it as JSON would take too long, or fail. */
export function isDeep(value: unknown, levels: number = MAX_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeep(inner, levels - 1));
}
