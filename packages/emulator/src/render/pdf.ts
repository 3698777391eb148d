import { darkRuns, QUIET_ZONE, type CardInput } from './symbol.ts';

/** A PDF page, `size` points wide: the symbol, with its content in small print below. */
export async function renderPdf({ symbol, content, name, size }: CardInput): Promise<Uint8Array> {
  // Imported on first use, because it takes as long to load as the rest of the emulator.
  const { default: PDFDocument } = await import('pdfkit');
  const caption = size / 16;
  const document = new PDFDocument({ size: [size, size + caption * 1.5], margin: 0, info: { Title: name } });
  const chunks: Uint8Array[] = [];
  const done = new Promise<Uint8Array>((resolve, reject) => {
    document.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    document.on('end', () => resolve(Buffer.concat(chunks)));
    document.on('error', reject);
  });

  const module = size / (symbol.modules.size + 2 * QUIET_ZONE);
  for (const [row, column, length] of darkRuns(symbol))
    document.rect((column + QUIET_ZONE) * module, (row + QUIET_ZONE) * module, length * module, module);
  document.fill('black');

  const widest = size * 0.9;
  document.fontSize(caption * 0.6);
  const scale = Math.min(1, widest / document.widthOfString(content));
  document.fontSize(caption * 0.6 * scale);
  document.text(content, 0, size, { width: size, align: 'center', lineBreak: false });
  document.end();
  return done;
}
