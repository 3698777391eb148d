import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { DemoError } from './DemoError.ts';

/** The output folder. */
export interface Output {
  folder: string;
  /** Writes a file and returns its path, relative to the folder. */
  file(path: string, bytes: Uint8Array | string): string;
  /** Writes rows as CSV, with the union of their columns. */
  csv(path: string, rows: readonly Record<string, unknown>[]): string;
}

/**
 * Opens the output folder. Removes only the files of a previous run.
 * @throws DemoError when the folder can't be written to
 */
export function openOutput(folder: string): Output {
  try {
    mkdirSync(folder, { recursive: true });
    for (const old of ['codes', 'codes.csv', 'events.csv', 'scans.csv', 'index.html'])
      rmSync(join(folder, old), { recursive: true, force: true });
    mkdirSync(join(folder, 'codes'));
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    throw new DemoError(
      `The output folder ${folder} can't be written to (${code}). Choose another with --out.`,
    );
  }
  const file: Output['file'] = (path, bytes) => {
    writeFileSync(join(folder, path), bytes);
    return path;
  };
  return {
    folder,
    file,
    csv: (path, rows) => {
      const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
      // Names are user input: escape cells that a spreadsheet would run as formulas.
      return file(path, stringify([...rows], { header: true, columns, escape_formulas: true }));
    },
  };
}
