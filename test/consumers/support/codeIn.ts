/** The code of an `@example`. */
export function codeIn(example: string): string {
  const code = /^```ts\n(.*)\n```$/s.exec(example)?.[1];
  if (code === undefined) throw new Error(`Not a block of TypeScript:\n${example}`);
  return code;
}
