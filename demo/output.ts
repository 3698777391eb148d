import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import type { CreatedCode } from './platforms.ts';
import { DemoError } from './sheet.ts';

/** What a run writes, and the file that marks a folder with such results. */
const RESULTS = ['codes', 'codes.csv', 'events.csv', 'scans.csv', 'index.html'];
const MARK = '.qr-service-demo';

/** The output folder. */
export type Output = ReturnType<typeof openOutput>;

/**
 * Opens the output folder. Removes only the files of a previous run.
 * @throws DemoError when the folder can't be written to, or has files that only look like those of a previous run
 */
export function openOutput(folder: string) {
  const found = RESULTS.find((name) => existsSync(join(folder, name)));
  if (found !== undefined && !existsSync(join(folder, MARK)))
    throw new DemoError(
      `The output folder ${folder} has a ${found} that this demo didn't write. Choose another with --out.`,
    );
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, MARK), '');
    for (const old of RESULTS) rmSync(join(folder, old), { recursive: true, force: true });
    mkdirSync(join(folder, 'codes'));
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    throw new DemoError(
      `The output folder ${folder} can't be written to (${code}). Choose another with --out.`,
    );
  }
  const file = (path: string, content: Uint8Array | string) => writeFileSync(join(folder, path), content);
  return {
    folder,
    /** Writes a file. */
    file,
    /** Writes rows as CSV, with the union of their columns. */
    csv(path: string, rows: readonly Record<string, unknown>[]): void {
      const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
      // Names are user input: escape cells that a spreadsheet would run as formulas.
      file(path, stringify([...rows], { header: true, columns, escape_formulas: true }));
    },
    /** Writes a code's images. Returns their paths, relative to the folder, by format. */
    images({ code, images }: CreatedCode): Record<string, string> {
      const stem = `codes/${code.slug.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`;
      for (const [format, bytes] of Object.entries(images)) file(`${stem}.${format}`, bytes);
      return Object.fromEntries(Object.keys(images).map((format) => [format, `${stem}.${format}`]));
    },
  };
}
