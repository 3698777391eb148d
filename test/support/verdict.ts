/** Describes whether a measured value is within a maximum, such as `within 15 ms` or `over 15 ms`. NaN doesn't. */
export function upTo(max: number, value: number, unit = ''): string {
  return `${value <= max ? 'within' : 'over'} ${withUnit(max, unit)}`;
}

/** Describes whether a measured value reaches a minimum, such as `reaches 0.9` or `below 0.9`. NaN doesn't. */
export function atLeast(min: number, value: number, unit = ''): string {
  return `${value >= min ? 'reaches' : 'below'} ${withUnit(min, unit)}`;
}

function withUnit(value: number, unit: string): string {
  return `${value.toLocaleString('en')}${unit}`;
}
