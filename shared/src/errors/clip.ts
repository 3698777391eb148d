const MAX_NAME_LENGTH = 40;

/**
 * Makes text from the service safe to show on one line of an error: without control characters and line breaks, cut at
 * `maxLength`.
 */
export function clip(text: string, maxLength = MAX_NAME_LENGTH): string {
  return text.slice(0, maxLength).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ');
}
