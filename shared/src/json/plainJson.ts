import { RESPONSE_LIMITS } from '../contract/limits.ts';
import { isObject } from './values.ts';

/**
 * Removes every `__proto__` property from parsed JSON, in place: if copied to another object, it would replace that
 * object's prototype.
 * @returns false if the value is nested deeper than allowed; the deeper levels are left unchanged
 */
export function makePlain(value: unknown, levels: number = RESPONSE_LIMITS.jsonLevels): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  let isShallow = true;
  // A page has thousands of values, and most aren't objects: skip the call for those.
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
