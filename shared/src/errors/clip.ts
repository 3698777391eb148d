const MAX_NAME_LENGTH = 40;

/** Text chosen by the service, made safe for one line of an error: no control characters or line breaks, at most `maxLength` others. */
export function clip(text: string, maxLength = MAX_NAME_LENGTH): string {
  return text.slice(0, maxLength).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ');
}
