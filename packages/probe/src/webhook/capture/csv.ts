import { CaptureError, type Capture, type CaptureFile } from './Capture.ts';
import { readJson } from './json.ts';
import { readHeaderLines } from './request.ts';

/** The first line names columns, one of them headers. */
export const CSV = /^(?=.*[,;\t])(?:.*[,;\t])?"?(?:request_?)?headers\b/i;

/** Reads a table with a request in each row, as webhook.site exports it. */
export function readCsv({ bytes }: Pick<CaptureFile, 'bytes'>): Capture[] {
  const text = bytes.toString('utf8');
  // PHP doesn't double a quote after a backslash.
  const rows = parseRows(text, '""|[^"]') ?? parseRows(text, '\\\\"|""|[^"]');
  if (rows === undefined) throw new CaptureError("It is a table that isn't valid. Export it once more.");
  const [names = [], ...requests] = rows;
  const json = requests.map((row) =>
    Object.fromEntries(
      row.map((cell, at): [string, unknown] => {
        const name = names[at] ?? '';
        return /^(?:request_?)?headers$/i.test(name) ? ['headers', readHeaders(cell)] : [name, cell];
      }),
    ),
  );
  return readJson({ json, bytes });
}

/**
 * The cells, or undefined if the rows differ in length.
 * @param quoted what may be in quotes, as a regular expression
 */
function parseRows(text: string, quoted: string): string[][] | undefined {
  const [separator = ','] = /[,;\t]/.exec(text) ?? [];
  const cell = new RegExp(`(?:"((?:${quoted})*)"|([^"${separator}\\r\\n]*))(${separator}|\\r?\\n|$)`, 'gy');
  const rows: string[][] = [[]];
  let end = 0;
  for (const [whole, inQuotes, bare = '', after] of text.matchAll(cell)) {
    end += whole.length;
    rows.at(-1)?.push(inQuotes?.replaceAll('""', '"') ?? bare);
    if (after === '') break;
    if (after !== separator) rows.push([]);
  }
  if (rows.at(-1)?.join('') === '') rows.pop();
  return end === text.length && rows.every(({ length }) => length === rows[0]?.length) ? rows : undefined;
}

function readHeaders(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return readHeaderLines(cell.split(/\r?\n/).filter((line) => line !== ''));
  }
}
