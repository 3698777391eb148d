/** A parameter's text without blanks around it; empty for anything that is neither text nor a number. */
export function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}
