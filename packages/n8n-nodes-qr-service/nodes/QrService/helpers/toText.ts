/** A parameter's text without blanks around it; empty for anything that is neither text nor a number. */
export function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}

/** Whether a yes/no parameter says yes; one filled by an expression may be the text of a cell. */
export function isYes(value: unknown): boolean {
  return typeof value === 'boolean' ? value : ['true', 'yes', '1'].includes(toText(value).toLowerCase());
}
