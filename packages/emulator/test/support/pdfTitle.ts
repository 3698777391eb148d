/** Title of a PDF. It is stored as UTF-16 in its own object. */
export function readPdfTitle(pdf: Buffer): string | undefined {
  const text = pdf.toString('latin1');
  const id = /\/Title (\d+) 0 R/.exec(text)?.[1] ?? '';
  const title = new RegExp(`\\n${id} 0 obj\\n\\((?:\\xfe\\xff)?([^)]*)\\)`).exec(text)?.[1];
  return title?.replaceAll('\0', '');
}
