/** Escapes text for XML. */
export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Rounds to two decimals. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
