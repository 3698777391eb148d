type Row = Record<string, unknown>;

/**
 * Zapier's table of what a polling Zap has seen: returns the rows of a poll that start the Zap. It stores keys
 * as text, and accepts a limited number of new rows per poll.
 */
export function createDedupeTable(primary: string[], mostNew = Infinity): (rows: Row[]) => Row[] {
  let table = '[]';
  return (rows) => {
    const seen = new Set(JSON.parse(table) as string[]);
    const fresh = rows.filter((row) => !seen.has(keyOf(primary, row))).slice(0, mostNew);
    for (const row of fresh) seen.add(keyOf(primary, row));
    table = JSON.stringify([...seen]);
    return fresh;
  };
}

/** The key that identifies a row. */
function keyOf(primary: string[], row: Row): string {
  return JSON.stringify(primary.map((field) => row[field]));
}
