/** Formats a table for the terminal. All columns but the last are padded. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, index) => Math.max(cell.length, widest[index] ?? 0)),
    [],
  );
  const line = (row: readonly string[]) =>
    row.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0))).join('   ');
  return rows.map((row) => `  ${line(row)}`).join('\n');
}
