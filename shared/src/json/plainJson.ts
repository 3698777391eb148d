import { RESPONSE_LIMITS } from '../contract/limits.ts';
import { isObject } from './values.ts';

/**
 * Makes parsed JSON plain data, in its place: a property `__proto__` is taken out, as it would become the
 * prototype of whatever it is assigned to.
 * @returns whether it is nested no deeper than may be; what is deeper stays as it is
 */
export function makePlain(value: unknown, levels: number = RESPONSE_LIMITS.jsonLevels): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  let isShallow = true;
  const visit = (inside: unknown) => {
    // Most values are no objects, and a page has thousands of them: no call for those.
    if (typeof inside === 'object') isShallow = makePlain(inside, levels - 1) && isShallow;
  };
  if (isObject(value)) {
    if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__');
    for (const key in value) visit(value[key]);
  } else for (const inside of value as unknown[]) visit(inside);
  return isShallow;
}
