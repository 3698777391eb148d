import { RESPONSE_LIMITS } from '../contract/limits.ts';
import { isObject } from './values.ts';

/**
 * Makes parsed JSON plain data, in place: removes every property `__proto__`, which would become the prototype of
 * whatever object it is assigned to.
 * @returns whether it is nested no deeper than allowed; what is deeper stays as it is
 */
export function makePlain(value: unknown, levels: number = RESPONSE_LIMITS.jsonLevels): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  let isShallow = true;
  // A page has thousands of values, most of which aren't objects: those cost no call, and no key is looked up twice.
  if (isObject(value)) {
    for (const key in value) {
      if (key === '__proto__') Reflect.deleteProperty(value, key);
      else if (typeof value[key] === 'object') isShallow = makePlain(value[key], levels - 1) && isShallow;
    }
  } else {
    for (const item of value as unknown[])
      if (typeof item === 'object') isShallow = makePlain(item, levels - 1) && isShallow;
  }
  return isShallow;
}
