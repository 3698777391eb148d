import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';

/** The folder that everything is written to. */
export interface Output {
  folder: string;
  /** Writes a file and gives its path below the folder. */
  file(path: string, bytes: Uint8Array | string): string;
  /** Writes rows with the columns of all of them. */
  csv(path: string, rows: readonly Record<string, unknown>[]): string;
}

/** An output folder; only what a run before wrote there is removed. */
export function openOutput(folder: string): Output {
  mkdirSync(folder, { recursive: true });
  for (const old of ['codes', 'codes.csv', 'events.csv', 'scans.csv', 'index.html'])
    rmSync(join(folder, old), { recursive: true, force: true });
  mkdirSync(join(folder, 'codes'));
  const file: Output['file'] = (path, bytes) => {
    writeFileSync(join(folder, path), bytes);
    return path;
  };
  return {
    folder,
    file,
    csv: (path, rows) => {
      const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
      // A cell that a spreadsheet would take for a formula is escaped: names come from anybody.
      return file(path, stringify([...rows], { header: true, columns, escape_formulas: true }));
    },
  };
}
